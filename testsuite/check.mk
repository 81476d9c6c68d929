# SPDX-License-Identifier: GPL-2.0-or-later
# Set-up, a first try, and the test suite.  Included by the Makefile at the top.

KERNELS ?= 6.1 6.12

# Installs what is missing, or says what to install.
setup:
	@scripts/setup $(KERNELS)

# make try [SCRIPT=file.stp]
try:
	@scripts/setup any
	@$(MAKE) --no-print-directory all
	@scripts/try $(SCRIPT)

# make check [KERNELS="6.12"] [ONLY=part-of-a-case's-name]
check:
	@scripts/setup $(KERNELS)
	@$(MAKE) --no-print-directory -j2 all
	@$(MAKE) --no-print-directory -j2 -k unit || true
	@KERNELS="$(KERNELS)" ONLY="$(ONLY)" scripts/check

# make check-debug KERNEL=DIR: what touches the kernel, on a debug kernel in DIR/boot and DIR/lib
check-debug:
	@test -n "$(KERNEL)" || { echo "make check-debug KERNEL=DIR (with DIR/boot and DIR/lib/modules)"; exit 1; }
	@scripts/setup
	@$(MAKE) --no-print-directory -j2 all
	@DEBUG_KERNEL="$(KERNEL)" ONLY="$(ONLY)" scripts/check

# make soak SECONDS=1800 [KERNEL=6.1, or DIR]: loading and unloading under a storm of processes, for so long
soak:
	@test -n "$(SECONDS)" || { echo "make soak SECONDS=n [KERNEL=6.12]"; exit 1; }
	@$(MAKE) --no-print-directory -j2 all
	@testsuite/soak/soak.sh $(SECONDS) $(or $(KERNEL),6.12)

# A unit test is one program: its file, and the sources that its comment names after "link:".
# "cflags:" adds options, "libs:" libraries, "pkgs:" adds pkg-config packages.
UNIT_NAMES = $(patsubst testsuite/unit/%.c,%,$(wildcard testsuite/unit/test_*.c))
UNIT_CFLAGS = -std=gnu11 -D_GNU_SOURCE -g -O1 $(WARN) -fsanitize=address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer -Itestsuite/unit -Itranslator \
	-Iruntime/abi -Iruntime/module -Iruntime/staprun -Iruntime/vm

unit: $(UNIT_NAMES:%=build/unit/%)

unit_word = $(shell sed -n 's|^.*[/ ]\* *$(2): *\([^*]*\).*$$|\1|p' testsuite/unit/$(1).c)

define unit_rule
build/unit/$(1): testsuite/unit/$(1).c testsuite/unit/unit.h $(call unit_word,$(1),link)
	@mkdir -p build/unit
	@rm -f $$@
	$$(say) CC $$@
	$$(Q)$$(CC) $$(UNIT_CFLAGS) $(call unit_word,$(1),cflags) $(if $(call unit_word,$(1),pkgs),$$$$($$(PKG_CONFIG) --cflags $(call unit_word,$(1),pkgs))) \
		-MMD -MP -MF $$@.d -o $$@ $$(filter %.c,$$^) \
		$(if $(call unit_word,$(1),pkgs),$$$$($$(PKG_CONFIG) --libs $(call unit_word,$(1),pkgs))) $(call unit_word,$(1),libs)
endef
# Only where they are asked for: each rule costs a look into its source.
ifneq ($(filter unit build/unit/%,$(MAKECMDGOALS)),)
$(foreach name,$(UNIT_NAMES),$(eval $(call unit_rule,$(name))))
-include $(UNIT_NAMES:%=build/unit/%.d)
endif

.PHONY: unit check-debug soak
include testsuite/fuzz/fuzz.mk
