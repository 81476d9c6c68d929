/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %m and %M: memory as it is, or in hexadecimal. */
#include "print_fmt.h"

/* %m: prec bytes (1 without) as they are; %M: as two hex digits each, in the order of addresses. */
void stp_put_mem(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, u64 addr)
{
	char bytes[64], hex[128];
	bool dump = f->conv == 'M', left = f->flags & STP_FMT_MINUS;
	s64 n = f->prec < 0 ? 1 : f->prec > STP_FIELD_MAX ? STP_FIELD_MAX : f->prec, pad = f->width - (dump ? 2 * n : n);

	if (!left && !stp_put_fill(c, o, ' ', pad))
		return;
	while (n > 0) {
		u32 now = n < (s64)sizeof(bytes) ? (u32)n : sizeof(bytes), i;

		if (!stp_copy_mem(c, bytes, addr, now))
			return;
		for (i = 0; dump && i < now; i++) {
			hex[2 * i] = "0123456789abcdef"[(u8)bytes[i] >> 4];
			hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
		}
		if (!stp_put_bytes(c, o, dump ? hex : bytes, dump ? 2 * now : now))
			return;
		addr += now;
		n -= now;
	}
	if (left)
		stp_put_fill(c, o, ' ', pad);
}
