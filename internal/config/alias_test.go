package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/config"
)

func TestAliasesAreRead(t *testing.T) {
	dir := writeFile(t, `aliases = "FE = frontend, wm=warehouse=depot"`)
	c := load(t, config.Sources{Flags: map[string]string{"data_dir": dir}, Env: env()})
	if want := [][]string{{"fe", "frontend"}, {"wm", "warehouse", "depot"}}; !reflect.DeepEqual(c.Aliases, want) {
		t.Errorf("got %q, want %q", c.Aliases, want)
	}
	v := value(t, c, "aliases")
	if v.Text != "fe=frontend, wm=warehouse=depot" || v.Origin.Source != config.SourceFile {
		t.Errorf("in force is %q of %v", v.Text, v.Origin)
	}
}

func TestWrongAliasesAreIgnoredWithAReason(t *testing.T) {
	for value, says := range map[string]string{"fe": "a group has 2", "gha=github actions": "not one word", "db=dbs": "the same word"} {
		c := load(t, config.Sources{Env: env("ENGRAM_ALIASES", value)})
		if len(c.Ignored()) != 1 || !strings.Contains(c.Remarks[0].String(), says) || c.Aliases != nil {
			t.Errorf("%s: got %q with %v, want none with a remark about %q", value, c.Aliases, c.Remarks, says)
		}
	}
}
