/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defines: stp_subject_ */
/*
 * The library's functions about the current task, for scripts with probes of task events: there the task that an event
 * is about takes its place.  Generated C of such scripts names these instead of those in fn_task.c.
 */
#include "session.h"

#define STP_TASK(c) (stp_context_of(c)->subject ?: current)
#define stp_fn_task_current stp_subject_task_current
#define stp_fn_pid stp_subject_pid
#define stp_fn_tid stp_subject_tid
#define stp_fn_execname stp_subject_execname
#define stp_fn_ppid stp_subject_ppid
#define stp_fn_pexecname stp_subject_pexecname
#define stp_fn_pgrp stp_subject_pgrp
#define stp_fn_sid stp_subject_sid
#define stp_fn_uid stp_subject_uid
#define stp_fn_euid stp_subject_euid
#define stp_fn_gid stp_subject_gid
#define stp_fn_egid stp_subject_egid
#include "fn_about_task.h"
