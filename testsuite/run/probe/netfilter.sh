# SPDX-License-Identifier: GPL-2.0-or-later
# Packets at the hooks of netfilter: those of two protocols and two families with their addresses, ports and flags; a verdict that drops some, and one that there is not.
# any-order: yes
# expect: udp ipv4 127.0.0.1 127.0.0.1 9997 len 31 lo: 5
# expect: udp ipv6 ::1 ::1 9997 len 51 lo: 2
# expect: tcp ipv4 9996 syn 1 ack 0 rst 0: 1
# expect: tcp ipv4 9996 syn 0 ack 1 rst 1: 1
# expect: members agree
# expect: not sent
# expect: sent
# expect: dropped 1, in 8
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global udp, tcp, dropped, inside, agree
probe begin { println("ready") }
probe netfilter.ip.local_out {
	if (protocol == ipproto_udp && dport == 9997)
		udp[pf, saddr, daddr, dport, length, outdev_name]++
	if (protocol == ipproto_tcp && (dport == 9996 || sport == 9996))
		tcp[pf, syn, ack, rst]++
	if (protocol == ipproto_udp && dport == 9998) {
		$verdict = nf_drop
		dropped++
	}
	if (protocol == ipproto_udp && dport == 9995)
		$verdict = 77
}
probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET").priority("NF_IP_PRI_FIRST"), netfilter.pf("NFPROTO_IPV6").hook("1") {
	head = $skb->head + $skb->network_header
	udp_at = head + ($pf == 2 ? 20 : 40)
	if (kernel_char(head + ($pf == 2 ? 9 : 6)) != 17)
		next
	port = ntohs(@cast(udp_at, "udphdr")->dest)
	inside += port == 9997 || port == 9995
	agree += kernel_string($in->name) == "lo" && !$out && $hooknum == 1 && $nf_hook_state->hook == 1
}
probe netfilter.arp.in, netfilter.bridge.forward { printf("%s %d %s %s", name, protocol, ar_sip, br_rmac) }
probe netfilter.arp.* { printf("%s %s %s %d", name, ar_sip, ar_sha, ar_op) }
probe netfilter.bridge.* { printf("%s %d %s", name, protocol, br_rmac) }
probe end {
	foreach ([p, s, d, port, len, dev] in udp)
		printf("udp %s %s %s %d len %d %s: %d\n", p, s, d, port, len, dev, udp[p, s, d, port, len, dev])
	foreach ([f, y, a, r] in tcp)
		printf("tcp %s 9996 syn %d ack %d rst %d: %d\n", f, y, a, r, tcp[f, y, a, r])
	println(agree == inside ? "members agree" : "members differ")
	printf("dropped %d, in %d\n", dropped, inside)
}
END
sed -i '/netfilter.arp/d' script.stp
cat > command.sh <<'END'
for n in 1 2 3 4 5; do echo $n. > /dev/udp/127.0.0.1/9997; done
for n in 1 2; do echo $n. > /dev/udp/::1/9997; done
(exec 3<> /dev/tcp/127.0.0.1/9996) 2> /dev/null
(echo x > /dev/udp/127.0.0.1/9998) 2> /dev/null || echo not sent
(echo x > /dev/udp/127.0.0.1/9995) && echo sent
END
# a kernel may be built without a family (the debug kernel is): no packets, and no more than a warning
$GUEST $STAPRUN -c "bash command.sh" $(module -g script.stp) 2> errors | grep -v ready
grep -v 'could not be attached: this kernel has no packets of that family$' errors >&2
:
