package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// childEnv turns the test binary into one of the processes in children: goroutines cannot test locks
// between processes.
const childEnv = "ENGRAM_TEST_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children()[name](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// children are the child processes by name. Their output is their answer.
func children() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"full":    childFull,
		"grep":    childGrep,
		"lock":    childLock,
		"migrate": childMigrate,
		"open":    childOpen,
		"save":    childSave,
		"search":  childSearch,
	}
}

// child is a running process.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader // its standard output
	in  io.WriteCloser
	err bytes.Buffer
}

// start runs a child, which ends with the test at the latest.
func start(t testing.TB, name string, args ...string) *child {
	t.Helper()
	c := &child{cmd: exec.CommandContext(t.Context(), os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+name)
	c.cmd.Stderr = &c.err
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	c.out = bufio.NewReader(out)
	return c
}

// line reads the next line that the child prints.
func (c *child) line() (string, error) {
	s, err := c.out.ReadString('\n')
	if err != nil {
		return "", errors.Join(fmt.Errorf("the child printed no more: %w", err), c.wait())
	}
	return strings.TrimSuffix(s, "\n"), nil
}

// rest reads the child's output until it ends, and waits for it.
func (c *child) rest() (string, error) {
	b, err := io.ReadAll(c.out)
	return string(b), errors.Join(err, c.wait())
}

func (c *child) wait() error {
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(c.err.String()))
	}
	return nil
}

// childReady reports that a child is ready, and waits for release.
func childReady() error {
	fmt.Println("ready")
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

// release waits until all children are ready and then starts them together.
func release(t *testing.T, children ...*child) {
	t.Helper()
	for _, c := range children {
		if _, err := c.line(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range children {
		if _, err := fmt.Fprintln(c.in); err != nil {
			t.Fatal(err)
		}
	}
}

// childStore opens the store of a child.
func childStore(path string, change ...func(*sqlite.Options)) (*sqlite.Store, error) {
	o := sqlite.Options{Path: path, Now: now}
	for _, c := range change {
		c(&o)
	}
	return sqlite.Open(context.Background(), o)
}

// childGrep prints the names of the files that contain the text. It is a process of its own, because a
// file that is open in SQLite must not be opened otherwise.
func childGrep(args []string) error {
	text, files := args[0], args[1:]
	for _, f := range files {
		b, err := os.ReadFile(f)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if n := bytes.Count(bytes.ToLower(b), []byte(text)); n > 0 {
			fmt.Printf("%s (%d times)\n", f, n)
		}
	}
	return nil
}
