package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// LoggedCommit is a commit with its author.
type LoggedCommit struct {
	Commit
	Author string // name and address
}

// maxCommit is the longest field of a commit in bytes; longer ones are cut.
const maxCommit = 256 << 10

// Log calls each with the commits since a time of the current branch of the repository around dir,
// which is absolute, newest first and without merges, until it returns false. It returns the
// repository's root. CodeNotFound if there is no repository, CodeUnavailable if git is missing or
// fails.
func (f Folders) Log(ctx context.Context, dir string, since time.Time, each func(LoggedCommit) bool) (root string, err error) {
	repo, inside := findRepository(filepath.Clean(dir))
	if !inside {
		return "", engram.Errorf(engram.CodeNotFound, "%s is not in a git repository", dir).WithHint("name a folder of a repository")
	}
	args := append(logArgs(), "HEAD", "--")
	if !since.IsZero() {
		args = slices.Insert(args, 1, "--since="+since.UTC().Format(time.RFC3339))
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	err = stream(command(running, repo.root, args...), cancel, func(out io.Reader) (bool, error) { return eachCommit(out, each) })
	if err == nil {
		return repo.root, nil
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	return "", gitFailed(repo.root, err)
}

// logArgs returns the arguments of a log that eachCommit reads.
func logArgs() []string {
	return []string{"log", "--no-merges", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8", "-z",
		"--format=%H%x00%aI%x00%an <%ae>%x00%s%x00%b"}
}

func gitFailed(root string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "git log did not answer").
		WithHint("check that git is installed, that the repository has a commit, and that `git -C %s log` works", root).WithCause(err)
}

// fields is the number of fields of a commit. Each ends with NUL, which git allows in none of them:
// with another separator, a message could forge commits.
const fields = 5

// eachCommit reads commits until each returns false.
func eachCommit(r io.Reader, each func(LoggedCommit) bool) (stopped bool, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		var f [fields]string
		for i := range f {
			f[i], err = readField(in)
			if errors.Is(err, io.EOF) {
				return false, nil // drop an incomplete one
			}
			if err != nil {
				return false, err
			}
		}
		if !each(loggedOf(f)) {
			return true, nil
		}
	}
}

// readField reads up to NUL and keeps at most maxCommit bytes.
func readField(in *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := in.ReadSlice(0)
		if room := maxCommit - b.Len(); len(part) > room {
			b.Write(part[:room])
		} else {
			b.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSuffix(b.String(), "\x00"), err
		}
	}
}

func loggedOf(f [fields]string) LoggedCommit {
	at, _ := time.Parse(time.RFC3339, f[1]) // zero if git has no date
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return LoggedCommit{Commit{Hash: f[0], At: at, Subject: text(f[3]), Body: text(f[4])}, text(f[2])}
}
