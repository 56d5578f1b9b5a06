package dialect

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writers are words in the names of tools and events that change files.
func writers() []string {
	return []string{"write", "edit", "patch", "replace", "create", "insert", "delete"}
}

func shells() []string {
	return []string{"bash", "shell", "exec", "command", "terminal"}
}

func has(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// toolOf converts a tool call; event is the plain name of its event.
func toolOf(u use, event string) Tool {
	t := Tool{Name: cmp.Or(u.name, event), Path: u.file}
	named := strings.ToLower(t.Name) + " " + event
	switch {
	case strings.HasPrefix(strings.TrimSpace(u.command), patchBegin):
		t.Path = cmp.Or(t.Path, patched(u.command))
	case t.Path == "" || has(named, shells()): // for file tools, command says what is done with the file
		t.Command = u.command
	}
	t.Path = cmp.Or(t.Path, patched(u.patch))
	if t.Command != "" {
		t.Path, t.Folder = "", filepath.FromSlash(u.folder)
	}
	t.Writes = t.Path != "" && has(named, writers())
	t.Path = filepath.FromSlash(t.Path)
	t.Stopped = u.stopped
	if t.Failed = !u.stopped && (u.failed || strings.Contains(event, "failure")); t.Failed {
		t.Error = cmp.Or(u.err, u.printed)
	}
	return t
}

// patchBegin begins a patch in the format of OpenAI's models.
const patchBegin = "*** Begin Patch"

// patched returns the first file that such a patch changes; "" for other text.
func patched(patch string) string {
	if !strings.HasPrefix(strings.TrimSpace(patch), patchBegin) {
		return ""
	}
	for l := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if name, ok := strings.CutPrefix(l, head); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// use is a tool call in any agent's dialect.
type use struct {
	name, file, command, folder, patch string
	// The result; zero before the call.
	printed, err string
	failed       bool // a field reports a failure
	stopped      bool // by the person, or it continues in the background
}

// use decodes a tool call.
func (d dialect) use(f fields) use {
	in := f.object(d[wInput]...)
	u := use{
		name: f.text(d[wTool]...), folder: in.text(d[wWorkFolder]...),
		file:    cmp.Or(in.text(d[wInputFile]...), in.firstOf(d[wInputFiles]...), f.text(d[wFile]...)),
		command: cmp.Or(in.text(d[wCommand]...), strings.Join(in.texts(d[wCommand]...), " "), f.text(d[wRan]...)),
		patch:   cmp.Or(in.text(d[wPatch]...), f.text(d[wWholePatch]...)),
	}
	d.ended(f, &u)
	return u
}

func (d dialect) ended(f fields, u *use) {
	out := f.object(d[wAnswer]...)
	said := cmp.Or(f.text(d[wAnswer]...), out.text(d[wPrinted]...), out.parts(d[wPrinted]...), d.errorIn(out))
	u.printed, u.err = d.account(said), d.errorIn(f)
	u.stopped = f.is(d[wStopped]...) || out.is(d[wStopped]...) || begins(said, d[wUnended])
	u.failed = u.err != "" || u.command != "" && d.exitIn(said)
	for _, o := range []fields{f, out, out.object("metadata")} {
		u.failed = u.failed || d.wrong(o)
	}
}

func (d dialect) errorIn(f fields) string {
	return cmp.Or(f.text(d[wError]...), f.object(d[wError]...).text("message"))
}

// wrong reports whether an object describes a failure.
func (d dialect) wrong(f fields) bool {
	coded := slices.ContainsFunc(d[wCode], func(name string) bool { return f.number(name) != 0 })
	return coded || f.no(d[wWell]...) || f.is(d[wIll]...) || f.text(d[wResult]...) == "failure" || f.object(d[wError]...).text("message") != ""
}

// exitIn reports whether a line near the beginning or end of a command's output has the agent's
// form of a nonzero exit code.
func (d dialect) exitIn(printed string) bool {
	const near = 300
	around := printed
	if len(around) > 2*near {
		around = printed[:near] + "\n" + printed[len(printed)-near:]
	}
	for l := range strings.Lines(strings.ToLower(around)) {
		for _, head := range d[wExitLine] {
			code, ok := strings.CutPrefix(strings.TrimSpace(l), strings.ToLower(head))
			code, _, _ = strings.Cut(code, " ")
			if n, err := strconv.Atoi(strings.TrimRight(code, ".,)")); ok && err == nil && n != 0 {
				return true
			}
		}
	}
	return false
}

// account removes an agent's own lines around a command's output, unless nothing would remain.
func (d dialect) account(said string) string {
	rest := said
	for begins(rest, d[wAccountHead]) {
		line, after, _ := strings.Cut(rest, "\n")
		if printed, is := strings.CutPrefix(line, "Output:"); is { // the first line may follow on the same line
			rest = strings.TrimPrefix(strings.TrimPrefix(printed, " ")+"\n"+after, "\n")
			break
		}
		rest = after
	}
	if rest == said {
		return said
	}
	for {
		rest = strings.TrimRight(rest, "\n")
		at := strings.LastIndexByte(rest, '\n') + 1
		if !begins(rest[at:], d[wAccountTail]) {
			return cmp.Or(rest, said)
		}
		rest = rest[:at]
	}
}

func begins(s string, heads []string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(s, h) })
}
