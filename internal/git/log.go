package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	return "", engram.Errorf(engram.CodeUnavailable, "git log did not answer").
		WithHint("check that git is installed, that the repository has a commit, and that `git -C %s log` works", repo.root).WithCause(err)
}

// logArgs returns the arguments of a log that eachCommit reads.
func logArgs() []string {
	return []string{"log", "--no-merges", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8", "-z",
		"--format=%H%x00%aI%x00%an <%ae>%x00%s%x00%b"}
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

// Changelog is a repository's CHANGELOG.md and its commits.
type Changelog struct {
	Lines   []ChangelogLine // in the order of the file
	Commits []Commit        // the newest of the branch without merges, oldest first
}

// ChangelogLine is one entry of a list in the file.
type ChangelogLine struct {
	Text   string // on one line
	Commit string // the hash of the commit that wrote its first line
}

// Commit is one commit's metadata.
type Commit struct {
	Hash          string
	Subject, Body string
	At            time.Time // author date
}

// Limits of what is read of a repository.
const (
	changelogFile    = "CHANGELOG.md"
	changelogLines   = 2000
	changelogCommits = 3000
	changelogTimeout = time.Minute
)

// Changelog reads the committed CHANGELOG.md of the repository around dir, which is absolute: its
// first 2,000 lines and the newest 3,000 commits. found is false without the file or a readable
// repository. CodeUnavailable if git is missing or takes longer than a minute.
func (f Folders) Changelog(ctx context.Context, dir string) (c Changelog, found bool, err error) {
	repo, inside := findRepository(dir)
	if !inside {
		return c, false, nil
	}
	if _, err := os.Stat(filepath.Join(repo.root, changelogFile)); err != nil {
		return c, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, changelogTimeout)
	defer cancel()
	// The file may not be committed yet, or git may refuse the repository.
	_, err = output(ctx, repo.root, "rev-parse", "-q", "--verify", "HEAD:"+changelogFile)
	if _, refused := errors.AsType[*exec.ExitError](err); refused && ctx.Err() == nil {
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	blame, err := output(ctx, repo.root, "blame", "--porcelain", "--no-textconv", "-L", "1,"+strconv.Itoa(changelogLines), "HEAD", "--", changelogFile)
	if err != nil {
		return c, false, err
	}
	log, err := output(ctx, repo.root, append(logArgs(), "-n", strconv.Itoa(changelogCommits), "HEAD", "--")...)
	if err != nil {
		return c, false, err
	}
	_, err = eachCommit(bytes.NewReader(log), func(l LoggedCommit) bool {
		c.Commits = append(c.Commits, l.Commit)
		return true
	})
	slices.Reverse(c.Commits)
	c.Lines = entries(blame)
	return c, true, err
}

// output runs git in the repository at root, without network access and without running programs
// that the repository's configuration names.
func output(ctx context.Context, root string, args ...string) ([]byte, error) {
	out, err := command(ctx, root, args...).Output()
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "git %s did not answer", args[0]).
			WithHint("check that git is installed, and that `git -C %s log` works", root).WithCause(err)
	}
	return out, nil
}

// command prepares git in the repository at root, without network access and without running
// programs that the repository's configuration names.
func command(ctx context.Context, root string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Env = append(environment(cmd.Environ()), "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = 100 * time.Millisecond // do not wait for the output of a process that git left behind
	return cmd
}

// stream runs cmd while read parses its output, and stops it if read stops or fails.
func stream(cmd *exec.Cmd, stop func(), read func(io.Reader) (stopped bool, err error)) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stopped, err := read(out)
	if stopped || err != nil {
		stop()
		_ = cmd.Wait() // it was killed, so its exit code means nothing
		return err
	}
	return cmd.Wait()
}

// entries parses list entries from `git blame --porcelain`: each line of the file starts with a tab
// and follows a line with its commit's hash.
//
// Source: git-blame(1), "The porcelain format".
func entries(blame []byte) []ChangelogLine {
	head := regexp.MustCompile(`^([0-9a-f]{40,64}) \d+ \d+`)
	bullet := regexp.MustCompile(`^\s*[-*+] +(.+)`)
	var all []ChangelogLine
	open := false
	commit := ""
	lines := bufio.NewScanner(bytes.NewReader(blame))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, isText := strings.CutPrefix(lines.Text(), "\t")
		if !isText {
			if m := head.FindStringSubmatch(line); m != nil {
				commit = m[1]
			}
			continue
		}
		switch m := bullet.FindStringSubmatch(line); {
		case m != nil:
			all = append(all, ChangelogLine{Text: strings.TrimSpace(m[1]), Commit: commit})
			open = true
		case open && strings.HasPrefix(line, " ") && strings.TrimSpace(line) != "":
			all[len(all)-1].Text += " " + strings.TrimSpace(line)
		default:
			open = false
		}
	}
	return all
}
