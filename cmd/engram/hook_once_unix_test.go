//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// toldAtOnce returns the answers to simultaneous events of one session.
func (h *hooked) toldAtOnce(within string, events ...[2]string) []string {
	h.t.Helper()
	said := make([]string, len(events))
	var wg sync.WaitGroup
	for i, e := range events {
		wg.Go(func() { said[i], _ = h.hook(e[0], within, strings.NewReader(e[1])) })
	}
	wg.Wait()
	return said
}

// reading is the event before a session reads a file.
func (h *hooked) reading(session, file string) [2]string {
	b, _ := json.Marshal(map[string]any{"session_id": session, "cwd": h.cwd, "tool_name": "Read", "tool_input": map[string]any{"file_path": filepath.Join(h.cwd, file)}})
	return [2]string{"PreToolUse", string(b)}
}

// prompting is a prompt of a session.
func prompting(session, prompt string) [2]string {
	b, _ := io.ReadAll(asked(session, prompt))
	return [2]string{"UserPromptSubmit", string(b)}
}

func starting(session string) [2]string {
	return [2]string{"SessionStart", fmt.Sprintf(`{"session_id":%q,"source":"startup"}`, session)}
}

var (
	toldNum   = regexp.MustCompile(`- #(\d+) `)
	toldBrief = regexp.MustCompile(`# Memory of shop`)
)

// timesTold counts how often the answers inject each memory, and the brief (as "brief").
func timesTold(said []string) map[string]int {
	times := map[string]int{}
	for _, answer := range said {
		for _, m := range toldNum.FindAllStringSubmatch(answer, -1) {
			times["#"+m[1]]++
		}
		times["brief"] += len(toldBrief.FindAllString(answer, -1))
	}
	return times
}

// onceOnly fails if something was injected twice.
func onceOnly(t *testing.T, session string, said []string) map[string]int {
	t.Helper()
	times := timesTold(said)
	for what, n := range times {
		if n > 1 {
			t.Errorf("session %s was told %s %d times:\n%s", session, what, n, strings.Join(said, "\n"))
		}
	}
	return times
}

// manyFiles is a shop with many memories, one of which names many files.
func manyFiles(t *testing.T) (h *hooked, files []string) {
	h = newHooked(t)
	for i := range 6 {
		files = append(files, fmt.Sprintf("cart/total%d.go", i))
	}
	h.engram("save", "Totals are rounded by line", "Each line is rounded, never the sum: "+strings.Join(files, ", "), "--type", "bugfix")
	h.engram("save", "Invoices are written in English", "The person wants invoices in English, whatever the customer speaks", "--type", "preference")
	return h, files
}

// An agent that reads several files at once runs several hooks at once; each memory is injected once.
func TestFilesThatAreReadAtOnceAreRemindedOfOnce(t *testing.T) {
	t.Parallel()
	h, files := manyFiles(t)
	for i := range 24 {
		session := fmt.Sprintf("s%d", i)
		var events [][2]string
		for _, f := range files[:2+i%5] {
			events = append(events, h.reading(session, f))
		}
		said := h.toldAtOnce(long, events...)
		if times := onceOnly(t, session, said); times["#1"] != 1 {
			t.Errorf("%d files at once: told %v, want #1 once", len(events), times)
		}
		more, _ := h.hook("PreToolUse", long, strings.NewReader(h.reading(session, files[len(files)-1])[1]))
		onceOnly(t, session, append(said, more))
	}
}

// A hook without time injects its memories at the next event, and none twice.
func TestWhatCameTooLateIsToldLaterAndOnce(t *testing.T) {
	t.Parallel()
	h, files := manyFiles(t)
	late := 0
	for i := range 24 {
		session := fmt.Sprintf("s%d", i)
		var events [][2]string
		for _, f := range files[:4] {
			events = append(events, h.reading(session, f))
		}
		said := h.toldAtOnce(fmt.Sprint(20+2*i), events...)
		if timesTold(said)["#1"] == 0 {
			late++
		}
		for _, f := range files[4:] {
			said = append(said, h.toldAtOnce(long, h.reading(session, f))...)
		}
		if times := onceOnly(t, session, said); times["#1"] != 1 {
			t.Errorf("with %d ms each: told %v, want #1 once", 20+2*i, times)
		}
	}
	t.Logf("of 24 sessions %d were told late", late)
}

// A session that starts with a prompt gets one brief, and no memory of it again.
func TestAStartAndAPromptAtOnceAreOneBrief(t *testing.T) {
	t.Parallel()
	h, files := manyFiles(t)
	for i := range 24 {
		session := fmt.Sprintf("s%d", i)
		events := [][2]string{starting(session), prompting(session, "how are totals of a line rounded?")}
		for _, f := range files[:i%4] {
			events = append(events, h.reading(session, f))
		}
		said := h.toldAtOnce(long, events...)
		said = append(said, h.toldAtOnce(long, prompting(session, "and how are the totals of each line rounded, never the sum?"))...)
		if times := onceOnly(t, session, said); times["#1"] != 1 || times["brief"] != 1 {
			t.Errorf("session %s: told %v, want #1 and the brief once:\n%s", session, times, strings.Join(said, "\n"))
		}
	}
}

// Tools used at once after a late start do not use up the session's attempts.
func TestABriefIsNotLostToToolsAtOnce(t *testing.T) {
	t.Parallel()
	h, files := manyFiles(t)
	for i := range 20 {
		session := fmt.Sprintf("s%d", i)
		said := h.toldAtOnce("20", starting(session))
		var events [][2]string
		for _, f := range files[:5] {
			events = append(events, h.reading(session, f))
		}
		said = append(said, h.toldAtOnce("20", events...)...)
		said = append(said, h.toldAtOnce(long, prompting(session, "how are totals rounded?"))...)
		if times := onceOnly(t, session, said); times["#1"] != 1 {
			t.Errorf("session %s: told %v, want #1 once:\n%s", session, times, strings.Join(said, "\n"))
		}
	}
}
