package plugin_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/plugin"
)

// readAsset reads a file of this folder as it lies in the repository.
func readAsset(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFilesAreThoseOfTheFolder(t *testing.T) {
	agents := plugin.Agents()
	if !slices.IsSorted(agents) || !slices.Contains(agents, "antigravity") {
		t.Errorf("agents: got %q, want them sorted, antigravity among them", agents)
	}
	for _, agent := range agents {
		files, err := plugin.Files(agent)
		if err != nil {
			t.Errorf("%s: %v", agent, err)
			continue
		}
		for name, text := range all(t, files) {
			if disk := readAsset(t, filepath.Join(agent, filepath.FromSlash(name))); disk != text {
				t.Errorf("%s/%s: embedded is not what lies in the folder", agent, name)
			}
			if strings.Contains(name, "node_modules") || path.Base(name) == ".DS_Store" {
				t.Errorf("%s/%s does not belong into the binary", agent, name)
			}
		}
	}
}

func TestAnAgentWithoutAssetsIsRefused(t *testing.T) {
	for _, agent := range []string{"", "nobody", ".", "..", "antigravity/scripts", "protocol.md", "/"} {
		files, err := plugin.Files(agent)
		if e, ok := errors.AsType[*engram.Error](err); !ok || e.Code != engram.CodeNotFound || !strings.Contains(e.Hint, "antigravity") || files != nil {
			t.Errorf("%q: got %v, error %v, want not_found that names those there are", agent, files, err)
		}
	}
}

// all reads the files of a folder, by their paths.
func all(t *testing.T, files fs.FS) map[string]string {
	t.Helper()
	read := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		read[name] = string(b)
		return err
	})
	if err != nil || len(read) == 0 {
		t.Fatalf("read %d files, error %v", len(read), err)
	}
	return read
}

// Windows PowerShell reads a script without this mark as the code page of the machine, and
// the path of a home folder in it would be another one.
func TestScriptsForPowerShellAreMarkedAsUTF8(t *testing.T) {
	scripts := 0
	for _, agent := range plugin.Agents() {
		files, err := plugin.Files(agent)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range all(t, files) {
			if path.Ext(name) != ".ps1" {
				continue
			}
			if scripts++; !strings.HasPrefix(text, "\ufeff") {
				t.Errorf("%s/%s has no mark", agent, name)
			}
		}
	}
	if scripts == 0 {
		t.Error("there is no such script")
	}
}
