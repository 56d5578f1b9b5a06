//go:build unix

package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAFullDiskLosesNothing(t *testing.T) {
	for _, limit := range []string{"100000", "400000", "1000000", "3000000", "4500000"} {
		t.Run("room for "+limit+" bytes", func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "engram.db")
			closed(t, open(t, path))
			out, err := start(t, "full", path, limit).rest()
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
				switch what, rest, _ := strings.Cut(line, " "); what {
				case "saved":
					ids = append(ids, rest)
				case "refused": // expected
					if !strings.HasPrefix(rest, "unavailable ") || !strings.Contains(rest, "full") {
						t.Errorf("the error without room is %s, want unavailable and the cause", rest)
					}
				case "lifted":
				default:
					t.Errorf("the process says %q", line)
				}
			}
			if !strings.Contains(out, "refused") || !strings.HasPrefix(out[strings.Index(out, "lifted"):], "lifted\nsaved ") {
				t.Errorf("the process says\n%s\nwant it to be refused, and to save once there is room", out)
			}
			t.Logf("%d saves acknowledged", len(ids))
			checkAll(t, path, ids, false)
			if out, err := start(t, "save", path, "next", "1").rest(); err != nil {
				t.Errorf("a save of another process: %v %s", err, out)
			}
		})
	}
}
