package config_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/config"
)

var update = flag.Bool("update", false, "write the table of settings anew")

const (
	docFile  = "../../docs/config.md"
	docBegin = "<!-- settings: made by go test ./internal/config -run TestDocumentationHasEverySetting -update -->\n"
	docEnd   = "<!-- end of settings -->\n"
)

// table formats the settings as in docs/config.md.
func table() string {
	var b strings.Builder
	b.WriteString("\n| `config.toml` | environment, flag | default | values | |\n|---|---|---|---|---|\n")
	for _, k := range config.Keys() {
		name := "`" + k.Name + "`"
		if !k.InFile {
			name = "(not in the file)"
		}
		from := "`" + strings.Join(k.Env, "`, `") + "`"
		if k.Flag != "" {
			flag, of, found := strings.Cut(k.Flag, " of ")
			from += ", `" + flag + "`"
			if found {
				from += " of `" + of + "`"
			}
		}
		values := k.Range
		if k.Kind == config.Switch {
			values = "`true` or `false`"
		}
		if k.Unit != "" {
			values = strings.TrimPrefix(values+" ("+k.Unit+")", " ")
		}
		about := k.About
		if k.Secret {
			about += "; never shown"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, from, k.Default, values, about)
	}
	return b.String() + "\n"
}

func TestDocumentationHasEverySetting(t *testing.T) {
	text, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(text), docBegin)
	old, tail, ends := strings.Cut(rest, docEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table: between %q and %q", docFile, docBegin, docEnd)
	}
	if *update {
		if err := os.WriteFile(docFile, []byte(head+docBegin+table()+docEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table() {
		t.Errorf("%s does not have the settings there are: run go test ./internal/config -run TestDocumentationHasEverySetting -update\n got\n%s\nwant\n%s", docFile, old, table())
	}
}
