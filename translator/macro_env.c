/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What preprocessor conditions are told: the facts of the target kernel, and where library macros are. */
#include "kernel.h"
#include "library.h"
#include "macro.h"
#include "options_text.h"
#include <sys/utsname.h>

static const char *config_of(void *data, const char *name)
{
	return data ? kernel_config(data, name) : NULL;
}

/* Without a target kernel (a script is only to be printed, say) the running one is assumed. */
void pp_env_init(struct session *s, struct pp_env *env)
{
	struct utsname u;

	if (s->kernel) {
		env->kernel_vr = s->kernel->release;
		env->arch = s->kernel->arch;
	} else if (uname(&u) == 0) {
		env->kernel_vr = arena_strdup(s, u.release);
		env->arch = arena_strdup(s, u.machine);
	}
	env->runtime = "kernel";
	env->systemtap_v = s->opt.compatible ? s->opt.compatible : STAP_LANGUAGE_VERSION;
	env->privilege = "stapdev";
	env->config = config_of;
	env->data = s->kernel;
	env->macro_path = library_macro_path;
	env->macro_names = library_macro_names;
}
