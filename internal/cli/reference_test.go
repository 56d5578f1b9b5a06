package cli

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
)

var update = flag.Bool("update", false, "write docs/cli-commands.md and docs/cli-json.md")

// The two reference pages are generated. After a change of a command, a flag or a document, run this test
// with -update and read the difference.
func TestReferenceIsMadeOfTheProgram(t *testing.T) {
	for _, page := range []struct{ file, text string }{
		{"../../docs/cli-commands.md", commandsPage()},
		{"../../docs/cli-json.md", jsonPage(t)},
	} {
		if *update {
			if err := os.WriteFile(page.file, []byte(page.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		is, err := os.ReadFile(page.file)
		if err != nil {
			t.Fatal(err)
		}
		if at := firstDifference(string(is), page.text); at != "" {
			t.Errorf("%s is not what the program says; write it anew with: go test ./internal/cli -run Reference -update\n%s", page.file, at)
		}
	}
}

func firstDifference(is, want string) string {
	a, b := strings.Split(is, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		got, should := "(the end)", "(the end)"
		if i < len(a) {
			got = a[i]
		}
		if i < len(b) {
			should = b[i]
		}
		if got != should {
			return fmt.Sprintf("line %d: got  %s\nline %d: want %s", i+1, got, i+1, should)
		}
	}
	return ""
}

const commandsHead = `# Commands and flags

Made from the program; [cli.md](cli.md) is the map and tells what they are for, [cli-json.md](cli-json.md) what they
print with ` + "`--json`" + `. Flags may stand anywhere, as ` + "`--flag value` or `--flag=value`" + `; what follows ` + "`--`" + ` is no flag.

`

// commandsPage returns the reference of commands and flags.
func commandsPage() string {
	var b strings.Builder
	b.WriteString(commandsHead)
	root := tree()
	root.InitDefaultHelpCmd()
	b.WriteString("## Flags of every command\n\n")
	writeFlagTable(&b, root.PersistentFlags())
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "## %s\n\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				command.ForEach(c, func(c *cobra.Command) { writeCommandSection(&b, c) })
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeCommandSection(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n", c.CommandPath())
	fmt.Fprintf(b, "%s\n\n", proseOf(cmp.Or(c.Long, c.Short+".")))
	fmt.Fprintf(b, "```\n%s\n```\n\n", c.UseLine())
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "Also: `%s`.\n\n", strings.Join(c.Aliases, "`, `"))
	}
	writeFlagTable(b, c.LocalNonPersistentFlags())
	fmt.Fprintf(b, "```sh\n%s\n```\n\n", c.Example)
}

// proseOf returns a help text as Markdown; paragraphs in columns keep their layout.
func proseOf(long string) string {
	paragraphs := strings.Split(long, "\n\n")
	for i, p := range paragraphs {
		if terminal.IsLaidOut(p) {
			paragraphs[i] = "```\n" + p + "\n```"
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func writeFlagTable(b *strings.Builder, flags *pflag.FlagSet) {
	rows := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if rows++; rows == 1 {
			b.WriteString("| flag | default | |\n|---|---|---|\n")
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		standard := "`" + f.DefValue + "`"
		if f.DefValue == "" || f.DefValue == "[]" || f.DefValue == "false" {
			standard = ""
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", cell(name), standard, cell(usage))
	})
	if rows > 0 {
		b.WriteString("\n")
	}
}

// cell escapes a text for a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

const jsonHead = `# The documents of --json

Made from the types that the program prints; [cli-commands.md](cli-commands.md) has the commands and their flags.

Every command prints one document on standard output with ` + "`--json`" + `. Keys are always there but where it says
otherwise; lists are ` + "`[]`" + ` and objects ` + "`{}`" + ` when empty; a time is RFC 3339 in UTC with milliseconds. Newer versions may
add keys, and never take one away or change what it means.

A command that fails prints one line on standard error, an [error](#error) document, and nothing on standard output, but
for ` + "`doctor`, `demo` and `undo FIRST..LAST`" + `, which tell what they found or did all the same. Its exit code says the same
as its ` + "`code`" + `.

| code | exit code |
|---|---|
`

// jsonPage returns the reference of documents.
func jsonPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(jsonHead)
	for _, c := range errorCodes() {
		fmt.Fprintf(&b, "| `%s` | %d |\n", c, command.ExitCode(c))
	}
	seen := map[reflect.Type]bool{}
	structsOf(reflect.TypeFor[command.ErrorDoc](), seen)
	b.WriteString("\n## Commands\n\n| command | document |\n|---|---|\n")
	table := answers()
	for _, path := range slices.Sorted(maps.Keys(table)) {
		var docs []string
		for _, a := range table[path] {
			structsOf(reflect.TypeOf(a.doc), seen)
			doc := describe(reflect.TypeOf(a.doc))
			if a.when != "" {
				doc = "with `" + a.when + "` " + doc
			}
			docs = append(docs, doc)
		}
		if len(docs) > 0 {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace("engram "+path), strings.Join(docs, "; "))
		}
	}
	writeDocuments(t, &b, seen)
	return b.String()
}

// errorCodes are all codes, in the order of their exit codes.
func errorCodes() []engram.Code {
	return []engram.Code{engram.CodeInternal, engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeUnavailable, engram.CodeForbidden}
}

func writeDocuments(t *testing.T, b *strings.Builder, seen map[reflect.Type]bool) {
	packages, byName := map[string]bool{}, map[string]reflect.Type{}
	for typ := range seen {
		packages[typ.PkgPath()] = true
		if other, taken := byName[documentName(typ)]; taken {
			t.Errorf("%s and %s would have the same section: rename one of them", typ, other)
		}
		byName[documentName(typ)] = typ
	}
	said := readComments(t, packages)
	b.WriteString("\n## Documents\n")
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		fmt.Fprintf(b, "\n### %s\n\n", name)
		if what := said.ofType(byName[name]); what != "" {
			fmt.Fprintf(b, "%s\n\n", what)
		}
		b.WriteString("| key | value | |\n|---|---|---|\n")
		for _, f := range fieldsOf(byName[name]) {
			meaning := said.ofField(f)
			if f.optional {
				meaning = strings.TrimSuffix("may be left out; "+meaning, "; ")
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.key, describe(f.of), cell(meaning))
		}
	}
}

// A command without a row could change its document unnoticed.
func TestEveryCommandHasItsAnswer(t *testing.T) {
	table := answers()
	there := map[string]bool{}
	for _, c := range commands() {
		there[command.PathOf(c)] = true
		if _, told := table[command.PathOf(c)]; !told {
			t.Errorf("%q has no row in answers(): say which document it prints with --json", command.PathOf(c))
		}
	}
	for path := range table {
		if !there[path] {
			t.Errorf("answers() has a row for %q, which is no command", path)
		}
	}
}
