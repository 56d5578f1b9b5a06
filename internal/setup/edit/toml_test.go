package edit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

const (
	keys = "command = \"/opt/engram\"\nargs = [\"mcp\"]\n"
	note = "# written by `engram setup`, and taken out by `engram setup --undo`\n"
	// table is what SetTOML writes.
	table = note + "[mcp_servers.engram]\n" + keys
)

func path() []string { return []string{"mcp_servers", "engram"} }

func setTOML(src []byte) ([]byte, error)    { return edit.SetTOML(src, path(), keys, calls) }
func removeTOML(src []byte) ([]byte, error) { return edit.RemoveTOML(src, nil, path()) }

// calls tells a table of ours from one of somebody else.
func calls(table any) bool {
	command, _ := table.(map[string]any)["command"].(string)
	return strings.HasSuffix(command, "/engram")
}

func TestSetTOML(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"an empty file", "", table},
		{"comments and order stay", "model = \"x\" # mine\n\n[a]\nb = 1\n", "model = \"x\" # mine\n\n[a]\nb = 1\n\n" + table},
		{"a last line without an end", "a = 1", "a = 1\n" + strings.TrimSuffix(table, "\n")},
		{"lines that end as on Windows", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(table, "\n", "\r\n")},
		{
			"the same by hand is left as it is", "[mcp_servers.engram]\nargs = [\"mcp\"]\ncommand = \"/opt/engram\"\n",
			"[mcp_servers.engram]\nargs = [\"mcp\"]\ncommand = \"/opt/engram\"\n",
		},
		{
			"the same in one line is left as it is", "mcp_servers = { engram = { args = [\"mcp\"], command = \"/opt/engram\" } }\n",
			"mcp_servers = { engram = { args = [\"mcp\"], command = \"/opt/engram\" } }\n",
		},
		{
			"what an agent was told about it stays", table + "enabled = false\n\n[mcp_servers.engram.tools.mem_save]\napproval_mode = \"approve\"\n",
			table + "enabled = false\n\n[mcp_servers.engram.tools.mem_save]\napproval_mode = \"approve\"\n",
		},
		{
			"one of codex mcp add is replaced where it stands, with its environment",
			"[a]\nb = 1\n\n[mcp_servers.engram]\ncommand = \"old\"\nargs = [\n  \"]\", # not yet\n]\n\n[mcp_servers.engram.env]\nX = \"[z]\"\n\n[c]\nd = 2\n",
			"[a]\nb = 1\n\n" + table + "\n\n[c]\nd = 2\n",
		},
		{
			"quotes and spaces in headers", "[ \"mcp_servers\" . 'engram' ] # mine\nurl = \"old\"\n[mcp_servers.\"en\\u0067ram\".env]\nX = '1'\n[mcp_servers.\"engram.x\"]\ncommand = \"x\"\n",
			table + "[mcp_servers.\"engram.x\"]\ncommand = \"x\"\n",
		},
		{
			"comments in it and around it stay", "# one\n[mcp_servers.engram] # gone\n# two\ncommand = \"old\"\n\n# three\nargs = []\n# four\n",
			"# one\n" + table + "# two\n\n# three\n# four\n",
		},
		{
			"what looks like it, in texts", "a = \"\"\"\n[mcp_servers.engram]\ncommand = 1\\\"\"\"\"\"\nb = '''\n[mcp_servers.engram]''''\nc = \"[mcp_servers.engram]\" # [mcp_servers.engram]\n",
			"a = \"\"\"\n[mcp_servers.engram]\ncommand = 1\\\"\"\"\"\"\nb = '''\n[mcp_servers.engram]''''\nc = \"[mcp_servers.engram]\" # [mcp_servers.engram]\n\n" + table,
		},
		{"others in one line below a header", "[mcp_servers]\na = {command = \"x\"}\nb.command = \"y\"\n", "[mcp_servers]\na = {command = \"x\"}\nb.command = \"y\"\n\n" + table},
		{"others by dotted keys", "mcp_servers.a.command = \"x\"\n", "mcp_servers.a.command = \"x\"\n\n" + table},
		{"numbers that are none", "a = nan\n", "a = nan\n\n" + table},
		{
			"an older one of ours gets the new values, and keeps what else it says",
			"[a]\nb = 1\n" + note + "[mcp_servers.engram] # mine\nenabled = false\n  args = [ # all\n  \"mcp\", \"--old\" ] # two\ncommand=\"/old/engram\"\ntool_timeout_sec = 60\n" +
				"\n[mcp_servers.engram.env]\nX = \"[z]\"\n\n[c]\nd = 2\n",
			"[a]\nb = 1\n" + note + "[mcp_servers.engram] # mine\nenabled = false\n  args = [\"mcp\"] # two\ncommand=\"/opt/engram\"\ntool_timeout_sec = 60\n" +
				"\n[mcp_servers.engram.env]\nX = \"[z]\"\n\n[c]\nd = 2\n",
		},
		{
			"one of ours that lacks a key", "[mcp_servers.engram]\r\nenabled = false\r\ncommand = '/old/engram' # it\r\n",
			"[mcp_servers.engram]\r\nargs = [\"mcp\"]\r\nenabled = false\r\ncommand = \"/opt/engram\" # it\r\n",
		},
		{"an older one at the end of a file without a last line end", "[mcp_servers.engram]\ncommand = \"old\"", strings.TrimSuffix(table, "\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := setTOML([]byte(c.src))
			if err != nil || string(got) != c.want {
				t.Errorf("SetTOML(%q)\n= %q, %v; want\n  %q", c.src, got, err, c.want)
			}
		})
	}
}

func TestSetTOMLRefuses(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no TOML", "a = 1\nb = = 2\n", "line 2, column 5: "},
		{"all servers in one line", "a = 1\n  mcp_servers = { a = { command = \"x\" } }\n", "line 2, column 3: mcp_servers is an inline table"},
		{"no servers, in one line", "mcp_servers = {}\n", "line 1, column 1: "},
		{"another one in one line", "mcp_servers = { engram = { command = \"old\" } }\n", "line 1, column 1: "},
		{"another one in one line below a header", "[mcp_servers]\nengram = { command = \"old\" }\n", "line 2, column 1: mcp_servers.engram is an inline table"},
		{"another one by dotted keys", "mcp_servers.engram.command = \"old\"\n", "line 1, column 1: "},
		{"another one by dotted keys below a header", "[mcp_servers]\n\"engram\" . command = \"old\"\n", "line 2, column 1: "},
		{"a list of that name", "[[mcp_servers]]\na = 1\n", "line 1, column 1: "},
		{"a value of that name", "mcp_servers = 1\n", "line 1, column 1: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := setTOML([]byte(c.src))
			if got != nil || engram.CodeOf(err) != engram.CodeInvalid || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("SetTOML(%q) = %q, %v; want an error that begins with %q", c.src, got, err, c.want)
			}
		})
	}
}

// The stories are as Codex 0.169.0 writes its file.
func TestRemoveTOML(t *testing.T) {
	const foreign = "[mcp_servers.engram]\ncommand = \"old\"\n"
	for _, c := range []struct{ name, src, before, want string }{
		{"a table that an agent put behind it", table + "\n[features]\nanalytics_plan_history = true\n", "", "\n[features]\nanalytics_plan_history = true\n"},
		{"the comment is gone", "[mcp_servers.engram]\n" + keys + "\n[mcp_servers.other]\ncommand = \"echo\"\n", "", "\n[mcp_servers.other]\ncommand = \"echo\"\n"},
		{"the comment stands elsewhere", note + "\n[features]\na = true\n\n[mcp_servers.engram]\n" + keys, "", note + "\n[features]\na = true\n"},
		{"it is gone", "[features]\na = true\n", "", "[features]\na = true\n"},
		{"lines right above and below", "model = \"o3\"\n" + table + "[mcp_servers.x]\ncommand = \"y\"\n", "", "model = \"o3\"\n[mcp_servers.x]\ncommand = \"y\"\n"},
		{"a line right above", "model = \"o3\"\n" + table, "", "model = \"o3\"\n"},
		{"an empty line above and lines below", "model = \"o3\"\n\n" + table + "# mine\n", "", "model = \"o3\"\n\n# mine\n"},
		{"tables below it, scattered", table + "[a]\nb = 1\n[mcp_servers.engram.tools.x]\napproval_mode = \"approve\"\n# end\n", "", "[a]\nb = 1\n# end\n"},
		{"somebody's servers in one line", "mcp_servers = { a = { command = \"x\" } }\n", "", "mcp_servers = { a = { command = \"x\" } }\n"},
		{"another one was there before", "[a]\nb = 1\n\n" + table + "\n[c]\nd = 1\n", "x = 1\n" + foreign, "[a]\nb = 1\n\n" + foreign + "\n[c]\nd = 1\n"},
		{
			"another one with an environment was there before", table + "[c]\nd = 1\n", foreign + "\n[mcp_servers.engram.env]\r\nA = \"1\"",
			foreign + "\n[mcp_servers.engram.env]\r\nA = \"1\"\n[c]\nd = 1\n",
		},
		{"another one was there before, and is not missed", "[c]\nd = 1\n", foreign, "[c]\nd = 1\n"},
		{"what was there before is no TOML", table + "[c]\nd = 1\n", "a = = 1\n", "[c]\nd = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit.RemoveTOML([]byte(c.src), []byte(c.before), path())
			if err != nil || string(got) != c.want {
				t.Errorf("RemoveTOML(%q, %q)\n= %q, %v; want\n  %q", c.src, c.before, got, err, c.want)
			}
		})
	}
	for _, src := range []string{"mcp_servers = { engram = { command = \"/opt/engram\" } }\n", "a = = 1\n"} {
		if got, err := removeTOML([]byte(src)); got != nil || engram.CodeOf(err) != engram.CodeInvalid || !strings.HasPrefix(err.Error(), "line 1, column ") {
			t.Errorf("RemoveTOML(%q) = %q, %v; want CodeInvalid with a place", src, got, err)
		}
	}
}

// foreign draws a piece of TOML in which n makes the names its own.
func foreign(t *rapid.T, n int) string {
	return fmt.Sprintf(rapid.SampledFrom([]string{
		"\n", "# [mcp_servers.engram]\n", "[t%d]\n", "[[l]]\n", "[mcp_servers.s%d]\n", "[mcp_servers.\"engram.%d\"] # x\n", "k%d = 1 # ]\n", "k%d = nan\n",
		"k%d = [ # [\n  \"]\", ']#',\n\n  [{ a = '}' }],\n]\n", "k%d = \"\"\"\n[mcp_servers.engram]\n\\\"\"\"\"\"\"\n", "k%d = '''\n# \"\n'''\n",
		"\"k %d = [\" . 'x' = { y = 1 }\n", "  k%d = 2026-06-01T12:00:00Z\n", "k%d.a.b = \"\\\\\"\n",
	}).Draw(t, "piece"), n)
}

func meaningTOML(t *rapid.T, src string) map[string]any {
	all := map[string]any{}
	if _, err := toml.Decode(src, &all); err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	if servers, ok := all["mcp_servers"].(map[string]any); ok {
		if delete(servers, "engram"); len(servers) == 0 {
			delete(all, "mcp_servers")
		}
	}
	return all
}

// A file is written by somebody, our table is put in, others write around it, and it is set
// again and taken out.
func TestWhatOthersWriteAroundOurTableStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := 0
		write := func(label string) (s string) {
			for range rapid.IntRange(0, 5).Draw(t, label) {
				number++
				if p := foreign(t, number); !strings.Contains(p, "%!(EXTRA") {
					s += p
				} else {
					s += p[:strings.Index(p, "%!(EXTRA")]
				}
			}
			return s
		}
		above := write("above")
		first, err := setTOML([]byte(above))
		if err != nil {
			t.Fatalf("SetTOML(%q): %v", above, err)
		}
		// What stands below begins with a table: a bare key would be one of ours.
		more := fmt.Sprintf("[o%d]\n", number) + write("below")
		older := strings.Replace(string(first), "/opt/engram", "/old/engram", 1)
		if rapid.Bool().Draw(t, "the comment is lost") {
			older = strings.Replace(older, note, "", 1)
		}
		mid := []byte(older + more + "[mcp_servers.engram.env]\nA = \"1\"\n[p]\n" + write("end"))
		set, err := setTOML(mid)
		if err != nil {
			t.Fatalf("SetTOML(%q): %v", mid, err)
		}
		if again, err := setTOML(set); err != nil || !bytes.Equal(again, set) {
			t.Fatalf("a second time %q is %q, %v", set, again, err)
		}
		bare, err := removeTOML(set)
		if err != nil {
			t.Fatalf("RemoveTOML(%q): %v", set, err)
		}
		want := above + more + string(mid[bytes.Index(mid, []byte("[p]\n")):])
		if above != "" {
			want = above + "\n" + want[len(above):]
		}
		if string(bare) != want {
			t.Fatalf("%q without our table is\n%q, want\n%q", set, bare, want)
		}
		for _, s := range [][]byte{set, bare} {
			if got, want := fmt.Sprint(meaningTOML(t, string(s))), fmt.Sprint(meaningTOML(t, string(mid))); got != want {
				t.Fatalf("%q says\n%s, want\n%s", s, got, want)
			}
		}
	})
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"a = 1\n", table, "a = \"\"\"\n[mcp_servers.engram]\"\"\"\"\n[mcp_servers.engram.env]\nb = 1", "[[a]]\n[ mcp_servers . \"engram\" ]\r\nx = [ # ]\r\n{ y = 'z' }]",
		"\uFEFFmcp_servers = {}", "[mcp_servers]\nengram.x = 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		with, err := setTOML([]byte(src))
		if err != nil {
			return
		}
		says := map[string]any{}
		_, err = toml.Decode(strings.TrimPrefix(string(with), "\uFEFF"), &says)
		servers, _ := says["mcp_servers"].(map[string]any)
		if ours, _ := servers["engram"].(map[string]any); ours["command"] != "/opt/engram" || fmt.Sprint(ours["args"]) != "[mcp]" {
			t.Errorf("%q with the table is %q, and says %v, %v", src, with, ours, err)
		}
		if again, err := setTOML(with); err != nil || !bytes.Equal(again, with) {
			t.Errorf("%q with the table is %q, and with it once more %q, %v", src, with, again, err)
		}
		bare, err := removeTOML(with)
		if err != nil {
			return // the same in another form
		}
		without, err := removeTOML([]byte(src))
		if had := err != nil || string(without) != src; !had && string(bare) != src {
			t.Errorf("%q with the table is %q, and without it again %q", src, with, bare)
		}
	})
}
