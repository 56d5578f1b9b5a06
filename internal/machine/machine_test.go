package machine_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/machine"
)

// folder makes a data folder with files of these modes; a mode with the folder bit makes a folder.
func folder(t *testing.T, modes map[string]os.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(modes)) { // folders before what is in them
		path, mode := filepath.Join(dir, name), modes[name]
		var err error
		switch {
		case mode.IsDir():
			err = os.Mkdir(path, 0o700)
		case name != ".":
			err = os.WriteFile(path, []byte("x"), 0o600)
		}
		if err == nil {
			err = os.Chmod(path, mode.Perm()) // past the umask
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLookTellsWhatIsOpenToOthers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		modes map[string]os.FileMode
		want  []string
	}{
		{"all is closed", map[string]os.FileMode{".": 0o700, "engram.db": 0o600}, nil},
		{"the database and its log", map[string]os.FileMode{"engram.db": 0o644, "engram.db-wal": 0o640, "engram.db-shm": 0o606}, []string{"engram.db", "engram.db-wal", "engram.db-shm"}},
		{"the folder", map[string]os.FileMode{".": 0o755, "engram.db": 0o600, "config.toml": 0o644}, []string{"."}},
		{"the folder in which agents leave their traces", map[string]os.FileMode{".": 0o755, "engram.db": 0o600, "off.json": 0o600, "off.lock": 0o600,
			"hook.log": 0o600, "hook.log.old": 0o600, "notes": os.ModeDir | 0o700, "setup": os.ModeDir | 0o700}, []string{"."}},
		{"a folder that holds other things is somebody's own affair", map[string]os.FileMode{".": 0o755, "engram.db": 0o600, "letters": 0o600}, nil},
		{"backups", map[string]os.FileMode{"engram.db": 0o600, "backups": os.ModeDir | 0o755, "backups/engram-1-doctor.db": 0o644, "backups/mine.txt": 0o644},
			[]string{"backups", "backups/engram-1-doctor.db"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.modes)
			path := filepath.Join(dir, "engram.db")
			told := func() (names []string) {
				f := machine.Look(path)
				if f.Err != nil {
					t.Fatal(f.Err)
				}
				for _, o := range f.Open {
					name, err := filepath.Rel(dir, o.Path)
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, name)
				}
				return names
			}
			if got := told(); !slices.Equal(got, tt.want) {
				t.Errorf("open: got %v, want %v", got, tt.want)
			}
			closed, err := machine.Tighten(path)
			if err != nil || len(closed) != len(tt.want) {
				t.Errorf("tighten: got %v, %v; want %v", closed, err, tt.want)
			}
			if got := told(); got != nil {
				t.Errorf("afterwards: got %v, want nothing open", got)
			}
			if _, err := os.ReadFile(path); err != nil {
				t.Errorf("the owner cannot read any more: %v", err)
			}
		})
	}
}

func TestLookTellsTheDisk(t *testing.T) {
	dir := folder(t, map[string]os.FileMode{"engram.db": 0o600, "engram.db-wal": 0o600})
	f := machine.Look(filepath.Join(dir, "engram.db"))
	if f.Err != nil || !f.Known || f.Database != 2 || f.Free < 1<<20 || len(f.Folders) != 1 || f.Folders[0] != dir {
		t.Errorf("got %+v, want two bytes on a disk with room", f)
	}
}

// A link may lead into a synchronized folder.
func TestLookFollowsLinks(t *testing.T) {
	dir := folder(t, map[string]os.FileMode{"engram.db": 0o600})
	link := filepath.Join(t.TempDir(), "store")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f := machine.Look(filepath.Join(link, "engram.db")); f.Err != nil || !slices.Equal(f.Folders, []string{link, real}) {
		t.Errorf("got %v, %v; want the link and %s", f.Folders, f.Err, real)
	}
}

func TestLookNeedsAFolder(t *testing.T) {
	if f := machine.Look(filepath.Join(t.TempDir(), "none", "engram.db")); f.Err == nil {
		t.Errorf("a folder that is not there: got %+v, want an error", f)
	}
}

func TestCreatable(t *testing.T) {
	dir := folder(t, map[string]os.FileMode{"file": 0o600, "closed": os.ModeDir | 0o500})
	if err := machine.Creatable(filepath.Join(dir, "a", "b", "engram.db")); err != nil {
		t.Errorf("in missing folders below a writable one: %v", err)
	}
	if err := machine.Creatable(filepath.Join(dir, "file", "engram.db")); err == nil {
		t.Error("a file in the place of the folder is no error")
	}
	if os.Geteuid() > 0 { // the superuser may write everywhere
		if err := machine.Creatable(filepath.Join(dir, "closed", "a", "engram.db")); err == nil {
			t.Error("a folder that is not writable is no error")
		}
	}
}
