package hub

import (
	"io/fs"
	"strings"
	"testing"
)

func FuzzParseTree(f *testing.F) {
	const oid = "0123456789abcdef0123456789abcdef01234567"
	f.Add([]byte(`[{"type":"file","path":"config.json","size":3,"oid":"` + oid + `"}]`))
	f.Add([]byte(`[{"type":"file","path":"m","size":3,"oid":"` + oid + `","lfs":{"oid":"` + strings.Repeat("a", 64) + `","size":9}},{"type":"directory","path":"x"}]`))
	f.Add([]byte(`[{"type":"file","path":"../x","size":3,"oid":"` + oid + `"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := parseTree(b)
		seen := map[string]bool{}
		for _, file := range files {
			if err != nil || !fs.ValidPath(file.Path) || file.Size < 0 || seen[file.Path] || (len(file.SHA256) != 64) == (len(file.SHA1) != 40) {
				t.Errorf("%s gives %+v, %v", b, file, err)
			}
			seen[file.Path] = true
		}
	})
}

func FuzzParseRevision(f *testing.F) {
	f.Add([]byte(`{"sha":"0123456789abcdef0123456789abcdef01234567","tags":["license:mit"]}`))
	f.Add([]byte(`{"sha":"main"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseRevision(b)
		if err == nil && (len(s.Commit) != 40 || strings.ContainsAny(s.License, " \n\x1b")) {
			t.Errorf("%s gives %+v", b, s)
		}
	})
}
