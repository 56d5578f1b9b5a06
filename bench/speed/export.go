package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// An observation is a memory of an export of the mem_* dialect, which engram import reads.
type observation struct {
	ID        int    `json:"id"`
	SyncID    string `json:"sync_id"`
	SessionID string `json:"session_id"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	Content   string `json:"content"`
	Project   string `json:"project"`
	Scope     string `json:"scope"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// A session is one of an export. It begins with its first observation.
type session struct {
	ID        string `json:"id"`
	Project   string `json:"project"`
	Directory string `json:"directory"`
	StartedAt string `json:"started_at"`
}

// An exporter writes an export: observations as they come, then their sessions.
type exporter struct {
	to       *bufio.Writer
	sessions []session
	known    map[string]bool
	err      error
}

// exportTo writes an export of what add adds.
func exportTo(name string, add func(*exporter)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	e := &exporter{to: bufio.NewWriter(f), known: map[string]bool{}}
	e.text(`{"version":"0.1.0","observations":[`)
	add(e)
	e.text(`],"prompts":[],"sessions":`)
	e.value(e.sessions)
	e.text("}")
	return errors.Join(e.err, e.to.Flush(), f.Close())
}

func (e *exporter) add(o observation) {
	if len(e.known) > 0 {
		e.text(",")
	}
	if !e.known[o.SessionID] {
		e.known[o.SessionID] = true
		e.sessions = append(e.sessions, session{o.SessionID, o.Project, "/src/" + o.Project, o.CreatedAt})
	}
	e.value(o)
}

func (e *exporter) text(s string) {
	if e.err == nil {
		_, e.err = e.to.WriteString(s)
	}
}

func (e *exporter) value(v any) {
	text, err := json.Marshal(v)
	e.err = errors.Join(e.err, err)
	e.text(string(text) + "\n")
}

// corpus adds documents from (inclusive) to (exclusive).
func corpus(from, to int) func(*exporter) {
	return func(e *exporter) {
		for n := from; n < to; n++ {
			d := documentOf(n)
			e.add(observation{
				ID: n + 1, SyncID: syncID(n), SessionID: d.session, Type: d.typ, Title: d.title, Content: d.content,
				Project: d.project, Scope: "project", CreatedAt: written(n), UpdatedAt: written(n),
			})
		}
	}
}

// syncID names the memory with a number, in a store and in an export.
func syncID(number int) string { return fmt.Sprintf("obs-%016x", number+1) }
