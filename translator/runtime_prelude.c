/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel headers that runtime units share, as a precompiled header. A
 * compiler only takes one as its first include, so the headers that the kernel
 * puts in front of every unit by -include go into it, too. */
#include "runtime_prelude.h"
#include "errmsg.h"
#include "subprocess.h"

#include <string.h>
#include <unistd.h>

/* Not every kernel has them all. */
static const char *const headers[] = { "module", "kernel", "sched", "sched/task",
	"sched/signal", "sched/mm", "sched/clock", "ftrace", "kprobes", "fprobe",
	"tracepoint", "uprobes", "perf_event", "hw_breakpoint", "stacktrace",
	"hrtimer", "timer", "workqueue", "kthread", "task_work", "slab", "vmalloc",
	"mm", "uaccess", "fs", "file", "miscdevice", "poll", "anon_inodes", "seq_file",
	"debugfs", "percpu", "cpu", "smp", "irq_work", "nmi", "notifier", "reboot",
	"kallsyms", "rculist", "hash", "jhash", "log2", "bitmap", "string",
	"ktime", "timekeeping", "cred", "uidgid", "user_namespace", "pid_namespace",
	"utsname", "version", "random", "path", "dcache" };

static void append_include(GString *s, const char *work_dir, const char *path)
{
	if (g_path_is_absolute(path))
		g_string_append_printf(s, "#include \"%s\"\n", path);
	else
		g_string_append_printf(s, "#include \"%s/%s\"\n", work_dir, path);
}

static char *prelude_text(const struct kernel_kit *kit)
{
	GString *s = g_string_new(NULL);

	for (char **a = kit->cc_kernel; *a; a++)
		if (strcmp(*a, "-include") == 0 && a[1])
			append_include(s, kit->work_dir, *++a);
	for (size_t i = 0; i < G_N_ELEMENTS(headers); i++)
		g_string_append_printf(s, "#if __has_include(<linux/%s.h>)\n"
				       "#include <linux/%s.h>\n#endif\n",
				       headers[i], headers[i]);
	return g_string_free(s, FALSE);
}

GPtrArray *runtime_prelude_flags(const struct kernel_kit *kit)
{
	GPtrArray *argv = g_ptr_array_new();

	for (char **a = kit->cc_kernel; *a; a++) {
		if (strcmp(*a, "-include") == 0 && a[1])
			a++;
		else
			g_ptr_array_add(argv, g_strdup(*a));
	}
	g_ptr_array_add(argv, g_strdup("-DKBUILD_BASENAME=\"stap\""));
	g_ptr_array_add(argv, g_strdup("-DKBUILD_MODNAME=\"stap\""));
	g_ptr_array_add(argv, g_strdup("-D__KBUILD_MODNAME=kmod_stap"));
	return argv;
}

/* Failing is no error. */
static void prelude_precompile(struct kernel_target *k, struct kernel_kit *kit,
			       const char *header)
{
	char *output = g_strconcat(header, ".gch", NULL);
	const char *tail[] = { "-w", "-x", "c-header", header, "-o", output };
	GPtrArray *argv = runtime_prelude_flags(kit);
	struct subprocess job = { .dir = kit->work_dir, .env = kernel_kit_env(k) };

	for (size_t i = 0; i < G_N_ELEMENTS(tail); i++)
		g_ptr_array_add(argv, g_strdup(tail[i]));
	g_ptr_array_add(argv, NULL);
	job.argv = (const char *const *)argv->pdata;
	if (subprocess_run(&job) != 0)
		unlink(output);
	subprocess_deinit(&job);
	g_strfreev((char **)g_ptr_array_free(argv, FALSE));
	g_free(output);
}

char *runtime_prelude_make(struct kernel_target *k, struct kernel_kit *kit,
			   const char *dir, bool precompile, char **err)
{
	char *path = g_build_filename(dir, "prelude.h", NULL);
	char *text = prelude_text(kit);

	if (!g_file_set_contents(path, text, -1, NULL)) {
		errmsg_disk_full(err, dir);
		g_free(path);
		path = NULL;
	} else if (precompile) {
		prelude_precompile(k, kit, path);
	}
	g_free(text);
	return path;
}
