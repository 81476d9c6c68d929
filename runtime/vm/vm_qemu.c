/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts QEMU with the host's / as the guest's root, and finds out whether KVM is of use. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

enum { ARGS_MAX = 64 };

struct args {
	char *at[ARGS_MAX];
	unsigned int count;
};

static void args_add(struct args *args, char *word)
{
	if (args->count + 1 >= ARGS_MAX)
		vm_fail("too many arguments for QEMU");
	args->at[args->count++] = word;
	args->at[args->count] = NULL;
}

static void args_add2(struct args *args, const char *option, char *value)
{
	args_add(args, vm_format("%s", option));
	args_add(args, value);
}

/* A kernel that oopses must not limp on: it panics, and -no-reboot ends the VM. */
static char *command_line(const struct vm_options *options)
{
	return vm_format("console=ttyS0 loglevel=5 printk.devkmsg=on panic=-1 oops=panic "
			 "nmi_watchdog=0 random.trust_cpu=on cryptomgr.notests rdinit=/init%s%s",
			 options->append ? " " : "", options->append ? options->append : "");
}

static void args_fill(struct args *args, const struct vm_options *options,
		      const struct vm_kernel *kernel, bool use_kvm, const int fds[4])
{
	args_add(args, vm_format("qemu-system-x86_64"));
	args_add(args, vm_format("-nodefaults"));
	args_add(args, vm_format("-no-user-config"));
	args_add(args, vm_format("-no-reboot"));
	args_add2(args, "-display", vm_format("none"));
	args_add2(args, "-name", vm_format("stap-vm"));
	if (options->icount)
		args_add2(args, "-icount", vm_format("shift=0,sleep=off"));
	/* The default is a gigabyte of translations, of which those of code that was unloaded slow down whoever has its memory now: a full
	 * buffer, which is emptied as a whole, is what ends that (README). */
	args_add2(args, "-accel", vm_format("%s", use_kvm ? "kvm" : options->icount ? "tcg,tb-size=128" : options->turns
					    ? "tcg,thread=single,tb-size=128" : "tcg,thread=multi,tb-size=128"));
	/* QEMU leaves wrong flags behind cmpxchg16b (README).  What counts instructions stays as others took their figures. */
	args_add2(args, "-cpu", vm_format("%s", use_kvm || options->icount ? "max" : "max,cx16=off"));
	args_add2(args, "-smp", vm_format("%u", options->icount ? 1 : options->smp));
	args_add2(args, "-m", vm_format("%s", options->memory));
	args_add2(args, "-kernel", vm_format("%s", kernel->image));
	args_add2(args, "-initrd", vm_format("/proc/self/fd/%d", fds[0]));
	args_add2(args, "-append", command_line(options));
	args_add2(args, "-chardev", vm_format("socket,id=console,fd=%d", fds[1]));
	args_add2(args, "-serial", vm_format("chardev:console"));
	args_add2(args, "-chardev", vm_format("socket,id=monitor,fd=%d", fds[3]));
	args_add2(args, "-mon", vm_format("chardev=monitor,mode=readline"));
	args_add2(args, "-device", vm_format("virtio-serial-pci"));
	args_add2(args, "-chardev", vm_format("socket,id=agent,fd=%d", fds[2]));
	args_add2(args, "-device", vm_format("virtserialport,chardev=agent,name=" VM_PORT_NAME));
	args_add2(args, "-fsdev", vm_format("local,id=root,path=/,security_model=none,"
					    "readonly=on,multidevs=remap"));
	args_add2(args, "-device", vm_format("virtio-9p-pci,fsdev=root,mount_tag=hostroot"));
}

/* In the child: nothing of ours may reach QEMU but the descriptors it is told of. */
__attribute__((noreturn))
static void child_exec(struct args *args, const int fds[4], int errors, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setsid();
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(errors, 1);
	dup2(errors, 2);
	for (int i = 0; i < 4; i++)
		fcntl(fds[i], F_SETFD, 0);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(args->at[0], args->at);
	fprintf(stderr, "qemu-system-x86_64: %s (Debian: apt-get install qemu-system-x86)\n",
		strerror(errno));
	_exit(127);
}

static void pair_open(int *ours, int *theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		vm_fail("socketpair: %s", strerror(errno));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*ours = ends[0];
	*theirs = ends[1];
}

void qemu_start(struct vm_qemu *qemu, const struct vm_options *options,
		const struct vm_kernel *kernel, bool use_kvm)
{
	struct args args = { .count = 0 };
	int fds[4], errors[2];

	fds[0] = initramfs_create(kernel, options->guest);
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	pair_open(&qemu->console, &fds[1]);
	pair_open(&qemu->agent, &fds[2]);
	pair_open(&qemu->monitor, &fds[3]);
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK))
		vm_fail("pipe: %s", strerror(errno));
	args_fill(&args, options, kernel, use_kvm, fds);

	pid_t parent = getpid();
	qemu->pid = fork();
	if (qemu->pid < 0)
		vm_fail("fork: %s", strerror(errno));
	if (!qemu->pid)
		child_exec(&args, fds, errors[1], parent);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	close(errors[1]);
	qemu->errors = errors[0];
	for (unsigned int i = 0; i < args.count; i++)
		free(args.at[i]);
}

void qemu_end(struct vm_qemu *qemu)
{
	/* Its disks are the host's, read-only, and memory: there is nothing to shut down. */
	kill(qemu->pid, SIGKILL);
	waitpid(qemu->pid, NULL, 0);
	close(qemu->agent);
	close(qemu->console);
	close(qemu->errors);
	close(qemu->monitor);
}

/* Runs one instruction (HLT) in real mode under KVM; some hosts offer a /dev/kvm that cannot. */
static int kvm_try(void)
{
	struct kvm_userspace_memory_region memory = { .memory_size = 4096 };
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rip = 0, .rflags = 2 };
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0UL);
	int cpu = vm < 0 ? -1 : ioctl(vm, KVM_CREATE_VCPU, 0UL);
	int size = kvm < 0 ? -1 : ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0UL);
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (cpu < 0 || size < 0 || code == MAP_FAILED)
		return 1;
	code[0] = 0xf4;
	memory.userspace_addr = (uintptr_t)code;
	struct kvm_run *run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (run == MAP_FAILED || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &memory)
	    || ioctl(cpu, KVM_GET_SREGS, &sregs))
		return 1;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs)
	    || ioctl(cpu, KVM_RUN, 0UL))
		return 1;
	return run->exit_reason == KVM_EXIT_HLT ? 0 : 1;
}

/* The file whose presence says that this host kernel's KVM has failed us. */
static char *refusal_path(void)
{
	struct utsname name;
	char *dir = kernel_cache_dir();

	uname(&name);
	char *path = vm_format("%s/.no-kvm-%s", dir, name.release);
	free(dir);
	return path;
}

bool kvm_usable(void)
{
	const char *wish = getenv("STAP_VM_ACCEL");
	char *refusal = refusal_path();
	bool refused = !access(refusal, F_OK);
	int status;

	free(refusal);
	if (wish && !strcmp(wish, "tcg"))
		return false;
	if (wish && !strcmp(wish, "kvm"))
		return true;
	if (refused || access("/dev/kvm", R_OK | W_OK))
		return false;
	/* In a process of its own, since a broken KVM may also hang. */
	pid_t pid = fork();
	if (pid < 0)
		return false;
	if (!pid) {
		alarm(2);
		_exit(kvm_try());
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

void kvm_refuse(void)
{
	char *path = refusal_path(), *dir = kernel_cache_dir();

	vm_mkdir(dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
	free(path);
	free(dir);
}
