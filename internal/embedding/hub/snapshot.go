package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// A Snapshot is the files of a repository at one commit.
type Snapshot struct {
	Commit  string // 40 hexadecimal digits
	License string // as the repository names it, such as mit; "" if it does not
	Files   []File
}

// A File is a file of a repository, with what its content must be.
type File struct {
	Path   string // with slashes
	Size   int64  // bytes
	SHA256 string // of a large file's content; "" for a small one
	SHA1   string // of a small file as a blob of git; "" for a large one
}

// The most bytes of an answer, and the largest file: a thousandfold of usual ones.
const (
	maxAnswer = 8 << 20
	maxFile   = 64 << 30
)

// CheckRepository rejects what is not the name of a repository, owner/name.
func CheckRepository(name string) error {
	owner, rest, ok := strings.Cut(name, "/")
	for _, part := range []string{owner, rest} {
		ok = ok && part != "" && len(part) <= 100 && part[0] != '.' && part[0] != '-'
		for _, r := range part {
			ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
		}
	}
	if !ok {
		return engram.Errorf(engram.CodeInvalid, "%.100q is not the name of a model at the hub", name).WithHint("use one like BAAI/bge-small-en-v1.5")
	}
	return nil
}

// Snapshot asks for a revision of a repository: a commit, a branch, or a reference such as refs/pr/38. CodeNotFound where
// the hub has none, CodeForbidden where it wants to know who asks, CodeUnavailable where it cannot be reached.
func (c *Client) Snapshot(ctx context.Context, repository, revision string) (s Snapshot, err error) {
	if err := CheckRepository(repository); err != nil {
		return s, err
	}
	what := fmt.Sprintf("model %s (revision %.60s)", repository, revision)
	api := c.base.String() + "/api/models/" + repository
	about, err := c.answer(ctx, what, api+"/revision/"+url.PathEscape(revision))
	if err != nil {
		return s, err
	}
	if s, err = parseRevision(about); err != nil {
		return s, c.odd(err)
	}
	if isHex(revision, 40) && s.Commit != revision {
		return s, c.odd(fmt.Errorf("it has commit %s for %s", s.Commit, revision))
	}
	tree, err := c.answer(ctx, what, api+"/tree/"+s.Commit+"?recursive=true")
	if err != nil {
		return s, err
	}
	if s.Files, err = parseTree(tree); err != nil {
		return s, c.odd(err)
	}
	return s, nil
}

func (c *Client) odd(err error) error {
	return engram.Errorf(engram.CodeUnavailable, "the answer of the model hub %s cannot be read", c.Host()).
		WithHint("if HF_ENDPOINT names a mirror, try without it").WithCause(err)
}

// answer returns the body of a small answer.
func (c *Client) answer(ctx context.Context, what, address string) (b []byte, err error) {
	err = c.persist(ctx, func() int64 { return 0 }, func() error {
		r, err := c.get(ctx, what, address, http.Header{"Accept": {"application/json"}}, http.StatusOK)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		switch b, err = io.ReadAll(io.LimitReader(r.Body, maxAnswer+1)); {
		case err != nil:
			return again{c.unreachable(err), 0}
		case len(b) > maxAnswer:
			return c.odd(fmt.Errorf("it has more than %d bytes", maxAnswer))
		}
		return nil
	})
	return b, err
}

// parseRevision reads what the hub says of a revision.
func parseRevision(b []byte) (Snapshot, error) {
	var about struct {
		SHA  string   `json:"sha"`
		Tags []string `json:"tags"`
	}
	if err := json.Unmarshal(b, &about); err != nil {
		return Snapshot{}, err
	}
	if !isHex(about.SHA, 40) {
		return Snapshot{}, fmt.Errorf("%.60q is not a commit", about.SHA)
	}
	s := Snapshot{Commit: about.SHA}
	for _, tag := range about.Tags {
		if license, ok := strings.CutPrefix(tag, "license:"); ok && isPlain(license) {
			s.License = license
		}
	}
	return s, nil
}

// parseTree reads the list of a commit's files. A file without a hash is an error: it could not be checked.
func parseTree(b []byte) ([]File, error) {
	var tree []struct {
		Type string `json:"type"`
		Path string `json:"path"`
		Size int64  `json:"size"`
		OID  string `json:"oid"`
		LFS  *struct {
			OID  string `json:"oid"`
			Size int64  `json:"size"`
		} `json:"lfs"`
	}
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil, err
	}
	var files []File
	seen := map[string]bool{}
	for _, e := range tree {
		if e.Type != "file" {
			continue
		}
		f := File{Path: e.Path, Size: e.Size, SHA1: e.OID}
		if e.LFS != nil {
			f.Size, f.SHA256, f.SHA1 = e.LFS.Size, e.LFS.OID, ""
		}
		switch {
		case !fs.ValidPath(f.Path) || f.Path == "." || strings.ContainsAny(f.Path, `\:`) || seen[f.Path]:
			return nil, fmt.Errorf("it has a file %.100q", f.Path)
		case f.Size < 0 || f.Size > maxFile:
			return nil, fmt.Errorf("its file %.100q has %d bytes", f.Path, f.Size)
		case !isHex(f.SHA256, 64) && !isHex(f.SHA1, 40):
			return nil, fmt.Errorf("its file %.100q has no hash", f.Path)
		}
		seen[f.Path] = true
		files = append(files, f)
	}
	return files, nil
}

// isHex reports whether s is so many lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// isPlain reports whether s is a short word.
func isPlain(s string) bool {
	return s != "" && len(s) <= 60 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789.-+_") == ""
}
