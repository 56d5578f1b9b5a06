package agent

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/plugin"
)

// Placeholders in assets: plugin/README.md.
const (
	fillProgram    = `"__ENGRAM__"`
	fillDataDir    = `"__DATA_DIR_ARGS__"`
	fillShell      = "__ENGRAM_SHELL__"
	fillPowerShell = "__ENGRAM_POWERSHELL__"
	fillVersion    = "__ENGRAM_VERSION__"
)

// Fill returns an asset as it is installed: with shared text included and placeholders replaced.
func (e Env) Fill(asset []byte) ([]byte, error) {
	shellLine, err := e.line(posix)
	if err != nil {
		return nil, err
	}
	psLine, err := e.line(powershell)
	if err != nil {
		return nil, err
	}
	args := ""
	for _, a := range e.args() {
		args += ", " + text(a)
	}
	out := strings.NewReplacer(
		", "+fillDataDir, args, ","+fillDataDir, args, fillDataDir, strings.TrimPrefix(args, ", "),
		fillProgram, text(e.Engram), fillShell, shellLine, fillPowerShell, psLine, fillVersion, e.version(),
	).Replace(string(plugin.Joined(asset)))
	return []byte(out), nil
}

// version returns the version; "0.0.0" for a build from source, because manifests need numbers.
func (e Env) version() string {
	v := strings.TrimPrefix(e.Version, "v")
	if v == "" || !strings.Contains("0123456789", v[:1]) {
		return "0.0.0"
	}
	return v
}

// whole returns the assets of an agent as files in a folder: those that keep selects, with their
// target names; nil: all but README.md.
func (e Env) whole(agent, dir string, keep func(name string) (to string, ok bool)) ([]setup.Part, error) {
	if e.Files == nil {
		return nil, engram.Errorf(engram.CodeInternal, "there are no assets")
	}
	files, err := e.Files(agent)
	if err != nil {
		return nil, err
	}
	if keep == nil {
		keep = func(name string) (string, bool) { return name, path.Base(name) != "README.md" }
	}
	var parts []setup.Part
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		to, ok := keep(name)
		if err != nil || d.IsDir() || !ok {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err == nil {
			b, err = e.Fill(b)
		}
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(b, []byte("#!")) {
			mode = 0o755
		}
		p := setup.Whole(e.join(dir, strings.Split(to, "/")...), b, mode)
		p.DataDir = dataDirIn
		if path.Ext(name) == ".json" {
			entries, err := e.entriesOf(agent, b)
			if err != nil {
				return err
			}
			p = own(p.Path, b, entries...)
		}
		parts = append(parts, p)
		return nil
	})
	if err == nil && len(parts) == 0 {
		err = engram.Errorf(engram.CodeInternal, "there are no assets for %s", agent)
	}
	slices.SortFunc(parts, func(a, b setup.Part) int { return strings.Compare(a.Path, b.Path) })
	return parts, err
}
