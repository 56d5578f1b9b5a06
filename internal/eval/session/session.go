// Package session measures what is injected into an agent's session. A script has a project of some hundred
// memories and the prompts of a session, each labelled with the memories that would help. Play runs the
// session through engine.Brief and engine.Remind, and counts what was injected, how much of it was labelled,
// and its cost.
package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	enginebrief "github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// Script is a session and the memories that exist when it begins.
type Script struct {
	Name     string
	Memories []Memory // oldest first
	Turns    []Turn
}

// Memory is a memory that exists when the session begins.
type Memory struct {
	Key            string // its name in labels; "" for filler
	Type           engram.Type
	Title, Content string
}

// Turn is one prompt with the keys of the memories that help.
type Turn struct {
	Prompt string
	Useful []string
}

// Fill saves the memories of a script. It calls before ahead of each with the number of remaining memories,
// so that a clock may be moved, and returns the memories by number.
func Fill(ctx context.Context, e *engine.Engine, s Script, before func(left int)) (map[int64]Memory, error) {
	byNum := map[int64]Memory{}
	for i, m := range s.Memories {
		before(len(s.Memories) - i)
		in := remember.SaveInput{Title: m.Title, Content: m.Content, Type: m.Type, Project: s.Name,
			SessionID: fmt.Sprintf("past-%d", i/8), NewSession: true}
		res, err := e.Save(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("save %q: %w", m.Title, err)
		}
		byNum[res.Memory.Num] = m
	}
	return byNum, nil
}

// Parse reads a script from its two texts. It fails on a label that names no memory.
//
// memories opens with a line "components: a, b, c", from which filler is made; then come memories, oldest
// first: a line "= KEY TYPE", a line with the title, and the content up to an empty line. turns are blocks
// separated by an empty line: "> " and the prompt, of one or more lines, and optionally a line "? KEY KEY"
// with the memories that help.
func Parse(name, memories, turns string) (Script, error) {
	s := Script{Name: name}
	known := map[string]bool{}
	var components []string
	for _, block := range strings.Split(memories, "\n\n") {
		block = strings.TrimSpace(block)
		if list, is := strings.CutPrefix(block, "components: "); is {
			components = strings.Split(list, ", ")
			continue
		}
		head, text, _ := strings.Cut(block, "\n")
		title, content, _ := strings.Cut(text, "\n")
		words := strings.Fields(head)
		if len(words) != 3 || words[0] != "=" || title == "" {
			return s, fmt.Errorf("cannot parse the memory that begins with %q", head)
		}
		known[words[1]] = true
		s.Memories = append(s.Memories, Memory{Key: words[1], Type: engram.Type(words[2]), Title: title, Content: cmp.Or(content, title)})
	}
	s.Memories = interleave(s.Memories, filler(components))
	for _, block := range strings.Split(turns, "\n\n> ") {
		t := turn(strings.TrimPrefix(strings.TrimSpace(block), "> "))
		for _, key := range t.Useful {
			if !known[key] {
				return s, fmt.Errorf("prompt %q has the unknown label %s", t.Prompt, key)
			}
		}
		s.Turns = append(s.Turns, t)
	}
	return s, nil
}

func turn(block string) Turn {
	prompt, labels, _ := strings.Cut(block, "\n?")
	return Turn{Prompt: prompt, Useful: strings.Fields(labels)}
}

// filler returns typical unimportant memories about each component, in words that prompts about it share.
func filler(components []string) (all []Memory) {
	teams := []string{"Blue", "Green", "Amber"}
	for i, c := range components {
		for j, f := range []struct {
			typ            engram.Type
			title, content string
		}{
			{engram.TypeFact, "Dashboards of the %s", "The dashboards of the %s are in the Grafana folder of team %s, with the panels for latency, errors and saturation."},
			{engram.TypeConfig, "Log level of the %s", "The %s logs at info; debug is switched on for ten minutes by its admin endpoint. Ask team %s."},
			{engram.TypeLearning, "Load test of the %s", "k6 against the %s on staging, 200 users for ten minutes, run by team %s each quarter. No regressions in the last run."},
			{engram.TypePattern, "Metrics of the %s are named by unit", "Counters of the %s end in _total and durations in _seconds. Labels are few; team %s looks after them."},
			{engram.TypeConfig, "Local port of the %s", "In development the %s listens on the port that the compose file of team %s gives it."},
			{engram.TypePassive, "Dependencies of the %s were upgraded", "All libraries of the %s are at their latest minor version. Team %s looked through the change logs."},
			{engram.TypeFact, "Who owns the %s", "Questions about the %s go to team %s, on weekdays from 9 to 17."},
			{engram.TypeDiscovery, "Dead code in the %s", "Two packages of the %s are not imported by anything. Team %s wants to keep them until the end of the year."},
			{engram.TypeDecision, "The %s keeps its repository folder", "Moving the %s to a repository of its own was discussed and dropped; team %s prefers one repository."},
			{engram.TypeEpisode, "Incident review of the %s", "A short outage of the %s was reviewed with team %s: a node was drained too fast. No actions left."},
			{engram.TypeManual, "Open tasks of the %s", "The list of open tasks of the %s is in the tracker under the label of team %s, sorted by votes."},
		} {
			team := teams[(i+j)%len(teams)]
			all = append(all, Memory{Type: f.typ, Title: fmt.Sprintf(f.title, c), Content: fmt.Sprintf(f.content, c, team)})
		}
	}
	return all
}

// interleave spreads b evenly over a.
func interleave(a, b []Memory) (all []Memory) {
	for i, m := range a {
		all = append(all, m)
		all = append(all, b[i*len(b)/len(a):(i+1)*len(b)/len(a)]...)
	}
	return all
}

// Figures measure how well a session was served.
type Figures struct {
	Turns    int
	Start    int // tokens injected at the start
	Most     int // most tokens injected for one prompt
	Tokens   int // tokens injected for all prompts
	Injected int // memories injected for prompts
	Useful   int // injected ones that the label of their prompt names
	Helpful  int // injected ones that any label of the session names
	Labelled int // labels in all
	Known    int // labels whose memory the agent had seen by the end of the turn
	Quiet    int // prompts without a label
	Alarms   int // quiet prompts for which something was injected
	Twice    int // memories injected again
	Begun    int // memories injected at the start
	BegunFor int // of these, memories that any label names
	Log      []string
	Texts    []string // all injected texts: the start, then one for each prompt, "" for nothing
}

// Precision returns the share of injected memories that their label names; 1 if nothing was injected.
func (f Figures) Precision() float64 { return share(f.Useful, f.Injected) }

// Recall returns the share of labels whose memory the agent had seen in time.
func (f Figures) Recall() float64 { return share(f.Known, f.Labelled) }

func share(part, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(part) / float64(of)
}

// String returns the figures on one line.
func (f Figures) String() string {
	return fmt.Sprintf("%d prompts: start %d tokens, prompts at most %d and %.0f on average; told %d, useful %d (%.0f %%), useful at some time %d; known in time %d of %d (%.0f %%); false alarms %d of %d; twice %d; of %d at the start %d useful later",
		f.Turns, f.Start, f.Most, float64(f.Tokens)/float64(max(1, f.Turns)), f.Injected, f.Useful, 100*f.Precision(), f.Helpful, f.Known, f.Labelled, 100*f.Recall(), f.Alarms, f.Quiet, f.Twice, f.Begun, f.BegunFor)
}

// Play runs a session through the engine. byNum is the result of Fill.
func Play(ctx context.Context, e *engine.Engine, s Script, byNum map[int64]Memory) (Figures, error) {
	f := Figures{Turns: len(s.Turns)}
	labels := map[string]bool{}
	for _, t := range s.Turns {
		for _, key := range t.Useful {
			labels[key] = true
		}
	}
	id := "session of " + s.Name
	brief, err := e.Brief(ctx, enginebrief.SessionBriefInput{Project: s.Name, SessionID: id})
	if err != nil {
		return f, err
	}
	f.Start = brief.Tokens
	f.Log, f.Texts = append(f.Log, brief.Text), append(f.Texts, brief.Text)
	seen := map[int64]bool{}
	for _, m := range brief.Memories {
		f.Begun++
		seen[m.Num] = true
		if labels[byNum[m.Num].Key] {
			f.BegunFor++
		}
	}
	for _, t := range s.Turns {
		if err := f.turn(ctx, e, enginebrief.RemindInput{Project: s.Name, SessionID: id}, t, labels, seen, byNum); err != nil {
			return f, err
		}
	}
	return f, nil
}

// turn asks one prompt and adds the injected memories to seen, those that the session has seen.
func (f *Figures) turn(ctx context.Context, e *engine.Engine, in enginebrief.RemindInput, t Turn, labels map[string]bool, seen map[int64]bool, byNum map[int64]Memory) error {
	in.Query = t.Prompt
	r, err := e.Remind(ctx, in)
	if err != nil {
		return err
	}
	f.Most, f.Tokens = max(f.Most, r.Tokens), f.Tokens+r.Tokens
	for _, item := range r.Items {
		num := item.Hit.Memory.Num
		key := byNum[num].Key
		if seen[num] {
			f.Twice++
		}
		seen[num] = true
		f.Injected++
		if slices.Contains(t.Useful, key) {
			f.Useful++
		}
		if labels[key] {
			f.Helpful++
		}
	}
	f.label(t, r, seen, byNum)
	return nil
}

// label counts the labels of a turn whose memories were seen, and logs the turn.
func (f *Figures) label(t Turn, r enginebrief.Reminder, seen map[int64]bool, byNum map[int64]Memory) {
	f.Texts = append(f.Texts, r.Text)
	missed := slices.Clone(t.Useful)
	for num := range seen {
		missed = slices.DeleteFunc(missed, func(key string) bool { return key == byNum[num].Key })
	}
	f.Labelled += len(t.Useful)
	f.Known += len(t.Useful) - len(missed)
	if len(t.Useful) == 0 {
		f.Quiet++
		if len(r.Items) > 0 {
			f.Alarms++
		}
	}
	f.Log = append(f.Log, fmt.Sprintf("%q wants %v, lacks %v, is told (%d tokens):\n%s", t.Prompt, t.Useful, missed, r.Tokens, r.Text))
}

// Ask asks each prompt in a session of its own, because the brief of a small project injects everything and
// so hides how prompts are answered.
func Ask(ctx context.Context, e *engine.Engine, s Script, byNum map[int64]Memory) (Figures, error) {
	f := Figures{Turns: len(s.Turns)}
	for _, t := range s.Turns {
		if err := f.turn(ctx, e, enginebrief.RemindInput{Project: s.Name}, t, nil, map[int64]bool{}, byNum); err != nil {
			return f, err
		}
	}
	f.Helpful = f.Useful
	return f, nil
}
