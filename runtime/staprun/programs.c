/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in user programs that a module wants to probe: read from its section .stap_programs (runtime/abi/stp.h has
 * the format).  Each file is opened here and handed to the module as a descriptor; one of another build than the
 * script was made for is left out, with a warning.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "staprun.h"

#define FILES_MAX 65536

struct program {
	char *path, *build_id;     /* build_id NULL: not known */
	bool usable;
};

struct programs {
	int control;
	char *text;
	struct program *file;
	unsigned nfiles, room;
	/* the group being collected */
	struct stp_usites msg;
	bool open;                 /* there is one */
	bool skip;                 /* its file is not usable */
	struct stp_usite *site;
	char *names;
	size_t sites_room, names_room;
	unsigned line;
};

/* %XX to bytes, in place. */
static void decode(char *p)
{
	char *to = p;
	unsigned byte;

	for (; *p; p++) {
		if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1 && p[1] && p[2] && byte) {
			*to++ = byte;
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static int out_of_memory(void)
{
	return complain("out of memory");
}

/* ---- files ---- */

static int hand_over(struct programs *ps, const struct program *f, unsigned index)
{
	struct stp_file msg = { .index = index };
	char id[2 * BUILD_ID_MAX + 1];
	struct stat st;
	int rc = 0;

	msg.fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (msg.fd < 0 || fstat(msg.fd, &st) || !S_ISREG(st.st_mode)) {
		warn("cannot probe %s: %s", f->path, msg.fd < 0 ? strerror(errno) : "it is no regular file");
		rc = 1;
	} else if (f->build_id && (!file_build_id(msg.fd, id) || strcmp(id, f->build_id))) {
		if (!file_build_id(msg.fd, id))
			strcpy(id, "none");
		warn("%s is another build than the script was made for: its build id is %s, not %s; it is not probed", f->path, id, f->build_id);
		rc = 1;
	} else if (ioctl(ps->control, STP_IOC_FILE, &msg)) {
		rc = complain("cannot pass %s to the module: %s", f->path, strerror(errno));
	}
	if (msg.fd >= 0)
		close(msg.fd);
	return rc;
}

static int add_file(struct programs *ps, char *id, char *path)
{
	struct program *f, *more;
	int rc;

	if (!path || ps->nfiles == FILES_MAX)
		return complain("the module's list of programs is damaged");
	if (ps->nfiles == ps->room) {
		ps->room = ps->room ? 2 * ps->room : 16;
		more = realloc(ps->file, ps->room * sizeof(*more));
		if (!more)
			return out_of_memory();
		ps->file = more;
	}
	decode(path);
	f = &ps->file[ps->nfiles];
	*f = (struct program){ .path = path, .build_id = strcmp(id, "-") ? id : NULL };
	rc = hand_over(ps, f, ps->nfiles);
	f->usable = rc == 0;
	ps->nfiles++;
	return rc < 0 ? -1 : 0;
}

/* ---- groups ---- */

static int send_group(struct programs *ps)
{
	int rc = 0;

	if (ps->open && !ps->skip) {
		ps->msg.sites = (uintptr_t)ps->site;
		ps->msg.names = (uintptr_t)ps->names;
		if (ioctl(ps->control, STP_IOC_USITES, &ps->msg))
			rc = complain("cannot pass the probed places to the module: %s", strerror(errno));
	}
	ps->open = false;
	return rc;
}

/* A number in hexadecimal, or `none` for "-"; false when it is neither. */
static bool number(const char *text, uint64_t none, uint64_t *ret)
{
	char *end;

	if (text && !strcmp(text, "-")) {
		*ret = none;
		return true;
	}
	if (!text || !*text)
		return false;
	*ret = strtoull(text, &end, 16);
	return !*end;
}

static bool file_usable(const struct programs *ps, int64_t index)
{
	return index < 0 || (index < ps->nfiles && ps->file[index].usable);
}

static int begin_group(struct programs *ps, char **save)
{
	uint64_t probe, file, pid, program;

	if (send_group(ps))
		return -1;
	if (!number(strtok_r(NULL, " ", save), 0, &probe) || !number(strtok_r(NULL, " ", save), -1, &file) ||
	    !number(strtok_r(NULL, " ", save), 0, &pid) || !number(strtok_r(NULL, " ", save), -1, &program))
		return complain("the module's list of programs is damaged");
	ps->msg = (struct stp_usites){ .probe = probe, .file = file, .pid = pid, .program = program };
	ps->open = true;
	ps->skip = !file_usable(ps, ps->msg.file) || !file_usable(ps, ps->msg.program);
	return 0;
}

static bool group_room(struct programs *ps, size_t name)
{
	void *more;

	if (ps->msg.nsites == ps->sites_room) {
		ps->sites_room = ps->sites_room ? 2 * ps->sites_room : 64;
		more = realloc(ps->site, ps->sites_room * sizeof(*ps->site));
		if (!more)
			return false;
		ps->site = more;
	}
	if (ps->msg.names_size + name > ps->names_room) {
		ps->names_room = 2 * ps->names_room + name;
		more = realloc(ps->names, ps->names_room);
		if (!more)
			return false;
		ps->names = more;
	}
	return true;
}

static int add_site(struct programs *ps, char **save)
{
	uint64_t offset, semaphore;
	char *optional, *name;

	if (!ps->open || !number(strtok_r(NULL, " ", save), 0, &offset) || !number(strtok_r(NULL, " ", save), 0, &semaphore))
		return complain("the module's list of programs is damaged");
	optional = strtok_r(NULL, " ", save);
	name = strtok_r(NULL, " ", save);
	if (!optional || !name)
		return complain("the module's list of programs is damaged");
	decode(name);
	if (!group_room(ps, strlen(name) + 1))
		return out_of_memory();
	ps->site[ps->msg.nsites++] = (struct stp_usite){ .offset = offset, .semaphore = semaphore, .name = ps->msg.names_size,
							 .id = ps->line };
	strcpy(ps->names + ps->msg.names_size, name);
	ps->msg.names_size += strlen(name) + 1;
	return 0;
}

static int take_line(struct programs *ps, char *line)
{
	char *save, *kind = strtok_r(line, " ", &save), *id;

	ps->line++;
	if (kind && !strcmp(kind, "F")) {
		id = strtok_r(NULL, " ", &save);
		return add_file(ps, id, id ? strtok_r(NULL, " ", &save) : NULL);
	}
	if (kind && !strcmp(kind, "S"))
		return begin_group(ps, &save);
	if (kind && !strcmp(kind, "U"))
		return add_site(ps, &save);
	return complain("the module's list of programs is damaged");
}

int programs_send(int control, const struct image *im)
{
	struct programs ps = { .control = control };
	size_t size = 0;
	const unsigned char *sec = image_section(im, ".stap_programs", &size);
	char *line, *next;
	int rc = 0;

	if (!sec || !size)
		return 0;
	ps.text = malloc(size + 1);
	if (!ps.text)
		return out_of_memory();
	for (size_t i = 0; i < size; i++)
		ps.text[i] = sec[i] ? sec[i] : '\n';
	ps.text[size] = '\0';
	for (line = ps.text; line && *line && !rc; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line)
			rc = take_line(&ps, line);
	}
	if (!rc)
		rc = send_group(&ps);
	free(ps.names);
	free(ps.site);
	free(ps.file);
	free(ps.text);
	return rc;
}
