package session

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Parse reads a script from its two texts. It fails on a label that names no memory.
//
// memories opens with a line "components: a, b, c", of which filler is made; then come
// memories, oldest first: a line "= KEY TYPE", a line that is the title, and the content up to
// an empty line. turns are blocks that stand apart by an empty line: "> " and the prompt,
// which may go on over lines, and a line "? KEY KEY" with what helps, if anything does.
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
			return s, fmt.Errorf("a memory begins with %q", head)
		}
		if content == "" {
			content = title
		}
		known[words[1]] = true
		s.Memories = append(s.Memories, Memory{Key: words[1], Type: engram.Type(words[2]), Title: title, Content: content})
	}
	s.Memories = interleave(s.Memories, filler(components))
	for _, block := range strings.Split(turns, "\n\n> ") {
		t := turn(strings.TrimPrefix(strings.TrimSpace(block), "> "))
		for _, key := range t.Useful {
			if !known[key] {
				return s, fmt.Errorf("prompt %q is labelled %s, which is no memory", t.Prompt, key)
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

// filler is what a project has many of: about each component the same few matters, in words
// that prompts about the component have, too.
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

// interleave spreads the second list over the first one.
func interleave(a, b []Memory) (all []Memory) {
	for i, m := range a {
		all = append(all, m)
		all = append(all, b[i*len(b)/len(a):(i+1)*len(b)/len(a)]...)
	}
	return all
}
