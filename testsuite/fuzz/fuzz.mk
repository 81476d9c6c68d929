# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz [SECONDS=60] [STAP_FUZZ_KERNEL=RELEASE]: libFuzzer with the sanitizers on the parser, on passes 1 to 3 without and with a
# kernel's types, on debug information (fuzz-dwarf: that alone; fuzz-btf: BTF), and on tables of user programs (fuzz-tables).  Needs clang and its compiler-rt.  Included by check.mk.
SECONDS ?= 60
FUZZ_CC ?= clang
FUZZ_DIR = build/fuzz
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -Wno-unknown-warning-option $(TRANSLATOR_CPPFLAGS)
# not pointer-overflow: it counts adding nothing to NULL
FUZZ_SAN = address,undefined
FUZZ_OBJ = $(filter-out $(FUZZ_DIR)/translator/main.o,$(TRANSLATOR_SRC:%.c=$(FUZZ_DIR)/%.o))
FUZZ_PARSE_OBJ = $(patsubst %.c,$(FUZZ_DIR)/%.o,$(shell sed -n 's|^/\* link: *\([^*]*\).*|\1|p' testsuite/unit/test_parse.c))
FUZZ_SEEDS = testsuite/fuzz/corpus testsuite/pass1/ok testsuite/pass1/err testsuite/pass2/ok testsuite/pass2/err
FUZZ_ARGS = -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=3000 -max_len=4096 -dict=testsuite/fuzz/stap.dict \
	-artifact_prefix=$(FUZZ_DIR)/found/ -print_final_stats=0 -verbosity=1

$(FUZZ_DIR)/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(say) FUZZ $<
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined -MMD -MP -c -o $@ $<

$(FUZZ_DIR)/fuzz_parse: $(FUZZ_DIR)/testsuite/fuzz/fuzz_parse.o $(FUZZ_PARSE_OBJ)
$(FUZZ_DIR)/fuzz_resolve: $(FUZZ_DIR)/testsuite/fuzz/fuzz_resolve.o $(FUZZ_OBJ)
$(FUZZ_DIR)/fuzz_dwarf: $(FUZZ_DIR)/testsuite/fuzz/fuzz_dwarf.o $(FUZZ_OBJ)
$(FUZZ_DIR)/fuzz_btf: $(FUZZ_DIR)/testsuite/fuzz/fuzz_btf.o $(FUZZ_OBJ)
$(FUZZ_DIR)/fuzz_parse $(FUZZ_DIR)/fuzz_resolve $(FUZZ_DIR)/fuzz_dwarf $(FUZZ_DIR)/fuzz_btf:
	$(say) LINK $@
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ $(PKG_LIBS) -l:libiberty.a

fuzz-build: $(FUZZ_DIR)/fuzz_parse $(FUZZ_DIR)/fuzz_resolve $(FUZZ_DIR)/fuzz_dwarf $(FUZZ_DIR)/fuzz_btf

# Small ELF files to begin with, and changes to an index.
FUZZ_DWARF_SRC = $(wildcard testsuite/unit/data/dwarf_*)
$(FUZZ_DIR)/elf: $(FUZZ_DWARF_SRC)
	@mkdir -p $@
	$(Q)cd $@ && for f in "-O0 -gdwarf-4" "-O2 -gdwarf-5" "-O2 -gdwarf-5 -fdebug-types-section" "-O1 -gdwarf-2" "-O2 -gz"; do \
		n=$$(echo $$f | tr -d ' '); src=$(CURDIR)/testsuite/unit/data; \
		$(CC) -g $$f -c -o c$$n.o $$src/dwarf_one.c; $(CC) -g $$f -c -o cc$$n.o -x c++ $$src/dwarf_three.cc; \
		$(CC) -g $$f -nostdlib -shared -fPIC -o so$$n $$src/dwarf_one.c $$src/dwarf_two.c; done; \
		printf 'INDEX\100\0\0\0\377\377' > index

fuzz-dwarf: $(FUZZ_DIR)/fuzz_dwarf $(FUZZ_DIR)/elf
	@mkdir -p $(FUZZ_DIR)/corpus/dwarf $(FUZZ_DIR)/found
	STAP_FUZZ_SAMPLE=$(FUZZ_DIR)/elf/so-O2-gdwarf-5 $(FUZZ_DIR)/fuzz_dwarf $(FUZZ_ARGS) -max_len=65536 $(FUZZ_DIR)/corpus/dwarf $(FUZZ_DIR)/elf

# BTF that the compiler wrote, and one as a module's on top of another.
$(FUZZ_DIR)/btf: $(FUZZ_DWARF_SRC)
	@mkdir -p $@
	$(Q)cd $@ && for f in dwarf_one dwarf_two dwarf_vars; do \
		$(CC) -w -gbtf -c -o $$f.o $(CURDIR)/testsuite/unit/data/$$f.c && \
		objcopy -O binary -j .BTF --set-section-flags .BTF=alloc $$f.o $$f.btf && rm $$f.o; done; \
		{ printf SPLIT; cat dwarf_two.btf; } > split

fuzz-btf: $(FUZZ_DIR)/fuzz_btf $(FUZZ_DIR)/btf
	@mkdir -p $(FUZZ_DIR)/corpus/btf $(FUZZ_DIR)/found
	STAP_FUZZ_SAMPLE=$(FUZZ_DIR)/btf/dwarf_one.btf $(FUZZ_DIR)/fuzz_btf $(FUZZ_ARGS) -max_len=16384 $(FUZZ_DIR)/corpus/btf $(FUZZ_DIR)/btf

# Tables of user programs: runtime/tables makes them, utab*.c of the module reads them.
FUZZ_TABLES_OBJ = $(patsubst %.c,$(FUZZ_DIR)/%.o,$(filter-out runtime/tables/tables_main.c,$(TABLES_SRC)) \
	$(wildcard runtime/module/utab*.c) translator/debuginfo/plt_stubs.c testsuite/fuzz/fuzz_tables.c)
$(FUZZ_DIR)/runtime/%.o $(FUZZ_DIR)/testsuite/fuzz/fuzz_tables.o: FUZZ_CFLAGS += -Iruntime/tables -Iruntime/module -iquote translator/debuginfo
$(FUZZ_DIR)/fuzz_tables: $(FUZZ_TABLES_OBJ)
	$(say) LINK $@
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ -ldw -lelf -l:libiberty.a

$(FUZZ_DIR)/tables: $(FUZZ_DIR)/elf
	@mkdir -p $@
	$(Q)cp $</so* $@
	$(Q)printf '7f0000001000 100 LazyCompile:~f /a b.js:1:2\n0x7f0000001100 0x10 name\n7f0000001080 40 later\n' > $@/map
	$(Q)printf 'TABLE\010\0\0\0\100\0\377\377' > $@/changes

fuzz-tables: $(FUZZ_DIR)/fuzz_tables $(FUZZ_DIR)/tables
	@mkdir -p $(FUZZ_DIR)/corpus/tables $(FUZZ_DIR)/found
	STAP_FUZZ_SAMPLE=$(FUZZ_DIR)/elf/so-O2-gdwarf-5 $(FUZZ_DIR)/fuzz_tables $(FUZZ_ARGS) -max_len=65536 $(FUZZ_DIR)/corpus/tables $(FUZZ_DIR)/tables

# A library small enough to be read for each input.
FUZZ_TAPSETS = context string macros null speculation stack session
$(FUZZ_DIR)/tapset: $(wildcard $(FUZZ_TAPSETS:%=tapsets/%.stp*))
	@mkdir -p $@
	$(Q)cp $^ $@

# New inputs are kept in build/fuzz/corpus; what fails, in build/fuzz/found.
fuzz: fuzz-build $(FUZZ_DIR)/tapset
	@mkdir -p $(FUZZ_DIR)/corpus/parse $(FUZZ_DIR)/corpus/resolve $(FUZZ_DIR)/corpus/kernel $(FUZZ_DIR)/found
	$(FUZZ_DIR)/fuzz_parse $(FUZZ_ARGS) $(FUZZ_DIR)/corpus/parse $(FUZZ_SEEDS)
	SYSTEMTAP_TAPSET=$(FUZZ_DIR)/tapset $(FUZZ_DIR)/fuzz_resolve $(FUZZ_ARGS) $(FUZZ_DIR)/corpus/resolve $(FUZZ_SEEDS)
	SYSTEMTAP_TAPSET=$(FUZZ_DIR)/tapset STAP_FUZZ_KERNEL=$(or $(STAP_FUZZ_KERNEL),$(shell uname -r)) \
		$(FUZZ_DIR)/fuzz_resolve $(FUZZ_ARGS) $(FUZZ_DIR)/corpus/kernel $(FUZZ_SEEDS)
	@$(MAKE) --no-print-directory fuzz-dwarf
	@$(MAKE) --no-print-directory fuzz-btf
	@$(MAKE) --no-print-directory fuzz-tables

.PHONY: fuzz fuzz-build fuzz-dwarf fuzz-btf fuzz-tables
ifneq ($(filter fuzz%,$(MAKECMDGOALS)),)
-include $(FUZZ_OBJ:.o=.d) $(FUZZ_DIR)/testsuite/fuzz/fuzz_parse.d $(FUZZ_DIR)/testsuite/fuzz/fuzz_resolve.d \
	$(FUZZ_DIR)/testsuite/fuzz/fuzz_dwarf.d $(FUZZ_DIR)/testsuite/fuzz/fuzz_btf.d $(FUZZ_TABLES_OBJ:.o=.d)
endif
