package plugin_test

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/plugin"
)

// What an agent loads stands alone: the shared part is in it once, with what it imports from
// there, and nothing is left that leads to another file.
func TestAPluginInTypeScriptIsInstalledWithWhatItShares(t *testing.T) {
	report := readAsset(t, "tell.ts")
	imported := regexp.MustCompile(`(?m)^import \{ (.*) \} from "\.\./tell"$`)
	joined := 0
	for name, text := range assetsOf(t) {
		got := string(plugin.Joined([]byte(text)))
		if path.Ext(name) != ".ts" {
			if got != text {
				t.Errorf("%s is no TypeScript, and is changed to\n%s", name, got)
			}
			continue
		}
		line := imported.FindStringSubmatch(text)
		if line == nil {
			t.Errorf("%s does not share how it tells of events: want an import of ../tell", name)
			continue
		}
		joined++
		if strings.Contains(got, `from "."`) || strings.Contains(got, `from "../`) {
			t.Errorf("%s, joined, imports a file beside it", name)
		}
		for _, what := range strings.Split(line[1], ", ") {
			what = strings.TrimPrefix(what, "type ")
			for _, word := range []string{"const ", "function ", "type "} {
				if n := strings.Count(got, "\n"+word+what); strings.Contains(report, "\nexport "+word+what) && n != 1 {
					t.Errorf("%s, joined, has %d of %s%s, want one", name, n, word, what)
				}
			}
			if !regexp.MustCompile(`(?m)^export (const|function|type) ` + what + `\b`).MatchString(report) {
				t.Errorf("%s imports %s, which tell.ts does not export", name, what)
			}
		}
		if first, defined := strings.Index(got, "teller("), strings.Index(got, "function teller("); first < defined {
			t.Errorf("%s, joined, calls teller before what it needs is there", name)
		}
		if !strings.HasPrefix(got, text[:strings.Index(text, "\n")]) || !strings.HasSuffix(got, text[strings.Index(text, line[0])+len(line[0]):]) {
			t.Errorf("%s, joined, has lost something of its own", name)
		}
	}
	if joined != 2 {
		t.Errorf("%d files share tell.ts, want those of OpenCode and Pi", joined)
	}
}

// As the repository may be checked out on Windows.
func TestLineEndsOfAnImportDoNotMatter(t *testing.T) {
	name := filepath.Join("pi", "engram.ts")
	crlf := strings.ReplaceAll(readAsset(t, name), "\n", "\r\n")
	if got := string(plugin.Joined([]byte(crlf))); strings.Contains(got, `"../tell"`) || !strings.Contains(got, "function teller(") {
		t.Errorf("%s with CRLF is not joined", name)
	}
}

// Who cuts what a tool has printed leaves half a key, or the rest of a private span: that is
// done in one place, which takes care, and by the hook.
func TestAPluginTellsWhatToolsPrintUncut(t *testing.T) {
	for name, text := range assetsOf(t) {
		if path.Ext(name) != ".ts" {
			continue
		}
		if !strings.Contains(text, "ended(") {
			t.Errorf("%s does not tell outputs through ended of tell.ts", name)
		}
		for _, line := range strings.Split(text, "\n") {
			if regexp.MustCompile(`\b(output|error|text|content)\)?\.(slice|substring|substr)\(`).MatchString(line) {
				t.Errorf("%s cuts a text itself: %s", name, strings.TrimSpace(line))
			}
		}
	}
}
