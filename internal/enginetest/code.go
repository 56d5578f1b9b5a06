package enginetest

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// CodeFolder is the folder of Code and of these engines. It exists on no machine, so that no real project is
// detected there.
const CodeFolder = "/no/machine/has/src"

// Code is a repository in memory, for tests that change files thousands of times; internal/git tests real ones.
// The zero value has no files.
type Code struct {
	mu    sync.Mutex
	files map[string]string
}

// Write sets the text of a file; "" removes it.
func (c *Code) Write(path, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := maps.Clone(c.files)
	if now == nil {
		now = map[string]string{}
	}
	if now[path] = text; text == "" {
		delete(now, path)
	}
	c.files = now
}

func (c *Code) all() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files
}

func hexOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Anchors implements engine.Code.
func (c *Code) Anchors(_ context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	var all []engram.Anchor
	files := c.all()
	for i, p := range append(append([]engram.Place{}, asked...), named...) {
		text, there := files[p.Path]
		if !there || dir != CodeFolder {
			if i < len(asked) {
				return nil, engram.Errorf(engram.CodeNotFound, "there is no file %s", p.Path).WithHint("write it first")
			}
			continue
		}
		a := engram.Anchor{Repository: "example.com/owner/name", Path: p.Path, Blob: hexOf(text), First: p.First, Last: p.Last, Named: i >= len(asked)}
		if p.First > 0 {
			sum := hexOf(fmt.Sprint(strings.Split(text, "\n")))
			a.Lines = sum[:8] + "-" + sum[8:24]
		}
		all = append(all, a)
	}
	return engram.CleanAnchors(all), nil
}

// States implements engine.Code. Lines have the state of their file; nothing moves.
func (c *Code) States(_ context.Context, dir string, all []engram.Anchor) []engram.Anchored {
	states := make([]engram.Anchored, len(all))
	files := c.all()
	for i, a := range all {
		states[i].Anchor = a
		text, there := files[a.Path]
		switch {
		case dir != CodeFolder:
		case !there:
			states[i].State = engram.AnchorGone
		case hexOf(text) == a.Blob:
			states[i].State = engram.AnchorVerified
		default:
			states[i].State = engram.AnchorChanged
		}
	}
	return states
}
