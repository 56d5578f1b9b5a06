package service_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/service"
)

// hostile are parts of paths and values with a meaning to some system.
func hostile() []string {
	return []string{"plain", "two words", `quo"te`, "it's", "50%", "%h%n", "$HOME", "${HOME}", "$$", `back\slash`, `\x41`, "a;b", "ß 日本", "-dash", "#hash",
		"k=v", "~", "{a}", "$(id)", "`id`", "end ", "<b>&amp;</b>", "]]>", "-->", "", "@x", ":x", "!x", "+x", "'"}
}

// text draws strings of such parts, without control characters.
func text() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(hostile()), 0, 4), func(parts []string) string { return strings.Join(parts, "") })
}

func server() *rapid.Generator[service.Server] {
	return rapid.Custom(func(t *rapid.T) service.Server {
		return service.Server{Program: "/" + text().Draw(t, "program"), Args: rapid.SliceOfN(text(), 0, 3).Draw(t, "args"),
			Env: []service.Setting{{Name: "ENGRAM_DATA_DIR", Value: "/" + text().Draw(t, "folder")}, {Name: "ENGRAM_PROJECT", Value: text().Draw(t, "project")}}}
	})
}

// systemd reads the same words from any unit, and a shell runs a program whose name systemd
// rejects.
func TestAUnitSaysWhatItWasTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := server().Draw(t, "server")
		unit, err := service.Systemd(s)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		want := append([]string{s.Program}, s.Args...)
		if strings.ContainsAny(s.Program, `'"\`) {
			want = append([]string{"/bin/sh", "-c", `exec "$0" "$@"`}, want...)
		}
		var env []string
		for line := range strings.Lines(unit) {
			line = strings.TrimSuffix(line, "\n")
			if start, ok := strings.CutPrefix(line, "ExecStart=:"); ok {
				if got := unitWords(t, start); !slices.Equal(got, want) {
					t.Fatalf("%s\ngot  %q\nwant %q", line, got, want)
				}
			}
			if set, ok := strings.CutPrefix(line, "Environment="); ok {
				env = append(env, unitWords(t, set)...)
			}
		}
		if want := []string{"ENGRAM_DATA_DIR=" + s.Env[0].Value, "ENGRAM_PROJECT=" + s.Env[1].Value}; !slices.Equal(env, want) {
			t.Fatalf("environment: got %q, want %q", env, want)
		}
	})
}

// unitWords reads words like systemd: quotes group, a backslash escapes, then %% is a percent sign.
// A specifier is an error.
func unitWords(t *rapid.T, line string) (words []string) {
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if !strings.ContainsRune(`"\`, r) {
				t.Fatalf("%s: an escape of %q", line, r)
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case r == quote && quote != 0:
			quote = 0
		case r == ' ' && quote == 0:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	if quote != 0 || escaped {
		t.Fatalf("%s: it does not end", line)
	}
	for i, w := range words {
		if strings.Contains(strings.ReplaceAll(w, "%%", ""), "%") {
			t.Fatalf("%s: a specifier", w)
		}
		words[i] = strings.ReplaceAll(w, "%%", "%")
	}
	return words
}

func TestAnAgentSaysWhatItWasTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := server().Draw(t, "server")
		plist, err := service.Launchd(s)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		want := []string{service.LaunchdLabel, s.Program}
		want = append(append(want, s.Args...), s.Env[0].Value, s.Env[1].Value)
		if got := xmlStrings(t, plist); !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q\n%s", got, want, plist)
		}
	})
}

// xmlStrings returns the texts of all <string>s of a document, which must be well-formed.
func xmlStrings(t *rapid.T, doc string) (all []string) {
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "string" {
			var s string
			if err := d.DecodeElement(&s, &e); err != nil {
				t.Fatalf("%v\n%s", err, doc)
			}
			all = append(all, s)
		}
	}
}

func TestWhatNoFileCanSayIsRefused(t *testing.T) {
	for _, bad := range []string{"a\nExecStart=/bin/evil", "a\x00b", "a\x1bb", "\xff", "a\rb", "\u0085"} {
		for name, s := range map[string]service.Server{
			"program": {Program: "/" + bad}, "argument": {Program: "/engram", Args: []string{bad}},
			"value": {Program: "/engram", Env: []service.Setting{{Name: "A", Value: bad}}},
		} {
			for system, write := range map[string]func(service.Server) (string, error){"systemd": service.Systemd, "launchd": service.Launchd, "windows": service.Task} {
				if text, err := write(s); engram.CodeOf(err) != engram.CodeInvalid || text != "" {
					t.Errorf("%s, %s %q: got %q, %v, want invalid", system, name, bad, text, err)
				}
			}
		}
	}
}

func TestATaskIsOneCommand(t *testing.T) {
	got, err := service.Task(service.Server{Program: `C:\Program Files\engram.exe`, Args: []string{"start", `--data-dir=C:\Users\A B\.engram`}})
	want := `schtasks /Create /TN Engram /SC ONLOGON /F /TR "\"C:\Program Files\engram.exe\" start \"--data-dir=C:\Users\A B\.engram\""`
	if err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestWhereFilesBelong(t *testing.T) {
	for _, tt := range [][3]string{
		{"/home/u", "", "/home/u/.config/systemd/user/engram.service"},
		{"/home/u", "/cfg", "/cfg/systemd/user/engram.service"},
		{"/home/u", "relative", "/home/u/.config/systemd/user/engram.service"},
	} {
		if got := service.SystemdPath(tt[0], tt[1]); got != tt[2] {
			t.Errorf("home %q, config %q: got %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
	if got := service.LaunchdPath("/Users/u"); got != fmt.Sprintf("/Users/u/Library/LaunchAgents/%s.plist", service.LaunchdLabel) {
		t.Errorf("launchd: got %s", got)
	}
}

func TestACommandThatFailsSaysWhatItSaid(t *testing.T) {
	if !service.Has([][]string{{"sh"}}) || service.Has([][]string{{"sh"}, {"no-such-program"}}) {
		t.Error("Has: want sh alone")
	}
	err := service.Run(t.Context(), [][]string{{"true"}, {"sh", "-c", "echo no  bus; exit 3"}, {"false"}})
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("got %v, want what it said", err)
	}
	if err := service.Run(t.Context(), [][]string{{"true"}}); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}
