/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is in the place of a wildcard that stands for nothing: netfilter.*, module.*, begin.* (point_help.h). */
#include "point_help.h"

#include <string.h>

#include "probe_util.h"

/* Word number i of a pattern, "function(STRING)"; its name's length, 0 where there is none. */
static size_t word_at(const char *pattern, size_t i, const char **word)
{
	for (; i && pattern; i--) {
		pattern = strchr(pattern, '.');
		pattern = pattern ? pattern + 1 : NULL;
	}
	*word = pattern;
	return pattern ? strcspn(pattern, ".(") : 0;
}

/* Are the first n words of the pattern called as those of the point are? */
static bool begins_alike(const char *pattern, const struct point *p, size_t n)
{
	const char *word;

	for (size_t i = 0; i < n; i++) {
		size_t len = word_at(pattern, i, &word);

		if (strlen(p->comps[i].name) != len || strncmp(word, p->comps[i].name, len))
			return false;
	}
	return true;
}

/* A word before number i that has no argument, and never comes without: a pattern with it; NULL. */
static const char *without_argument(const struct point *p, size_t i, size_t *which)
{
	for (size_t k = 0; k < i; k++) {
		const char *found = NULL, *word;
		bool always = !p->comps[k].arg;

		for (const char *const *line = provider_patterns(); *line && always; line++) {
			if (!begins_alike(*line, p, k + 1))
				continue;
			always = word_at(*line, k, &word) && word[strcspn(word, ".(")] == '(';
			found = *line;
		}
		*which = k;
		if (always && found)
			return found;
	}
	return NULL;
}

void point_help_wildcard(struct session *s, const struct point *p, size_t i)
{
	struct point before = *p;
	const char *needs, *word;
	bool some = false;
	size_t which;

	needs = without_argument(p, i, &which);
	before.ncomps = needs ? which + 1 : i;
	if (needs) {
		word_at(needs, which, &word);
		diag_help(s, "'%s' needs an argument: %.*s", p->comps[which].name, (int)(word + strcspn(word, ".") - needs), needs);
		return;
	}
	for (const char *const *line = provider_patterns(); *line && !some; line++)
		some = begins_alike(*line, p, i) && word_at(*line, i, &word);
	if (some)
		diag_help(s, "see stap -l '%s.**' for what there is", point_text(s, &before));
	else
		diag_help(s, "nothing comes behind '%s'", point_text(s, &before));
}
