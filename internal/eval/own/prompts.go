package own

import (
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
)

const (
	// What is saved long after a prompt was not saved because of it.
	rightAfter = 30 * time.Minute
	// A prompt that led to many memories was about none of them.
	mostAfter = 3
)

// prompts asks what the user asked, and wants what was saved right after it in the
// same session; and asks what was searched for, and wants those of the finds that
// were then read as a whole.
func prompts(k kept) eval.Set {
	b := newBuilder("prompts")
	byNum := map[int64]engram.Memory{}
	bySession := map[string][]engram.Memory{} // oldest first
	for i, m := range slices.Backward(k.memories) {
		b.document(eval.Document{ID: string(m.ID), Title: m.Title, Text: m.Content, Time: m.CreatedAt, Group: m.Project, Session: m.SessionID, Seq: len(k.memories) - 1 - i})
		byNum[m.Num] = m
		bySession[m.SessionID] = append(bySession[m.SessionID], m)
	}
	next := map[string]time.Time{} // when the session's next prompt came
	for _, p := range k.prompts {
		end := p.CreatedAt.Add(rightAfter)
		if n, ok := next[p.SessionID]; ok && n.Before(end) {
			end = n
		}
		next[p.SessionID] = p.CreatedAt
		for _, m := range between(bySession[p.SessionID], p.CreatedAt, end) {
			b.question(fmt.Sprintf("prompt-%d", p.Num), m.Project, p.Content, string(m.ID))
		}
	}
	type shown struct {
		session string
		memory  int64
	}
	asked := map[shown]string{}
	for i, u := range k.uses {
		what := shown{u.SessionID, u.Memory}
		m, ok := byNum[u.Memory]
		switch {
		case !ok:
		case u.Verb == "get" && asked[what] != "":
			b.question(fmt.Sprintf("search-%d", i), m.Project, asked[what], string(m.ID))
		case u.Verb != "get" && u.Query != "":
			asked[what] = u.Query
		}
	}
	return b.set
}

// between returns the memories of a session, oldest first, that were saved from start
// on and before end; none when they are more than mostAfter.
func between(session []engram.Memory, start, end time.Time) []engram.Memory {
	var found []engram.Memory
	for _, m := range session {
		if m.Type != engram.TypeSessionSummary && !m.CreatedAt.Before(start) && m.CreatedAt.Before(end) {
			found = append(found, m)
		}
	}
	if len(found) > mostAfter {
		return nil
	}
	return found
}
