package capture_test

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// labelled is a piece of a transcript, or a commit, and what should be proposed of it.
type labelled struct {
	name   string
	want   []engram.Type
	turns  []capture.Turn
	commit *capture.Commit
	author string
	causes []string // what the causes of bugfixes must have, in their order; nil: anything will do
}

func (l labelled) proposals() []capture.Proposal {
	if l.commit == nil {
		return capture.OfTranscript(l.turns)
	}
	l.commit.Author = l.author
	if p, ok := capture.OfCommit(*l.commit); ok {
		return []capture.Proposal{p}
	}
	return nil
}

// readLabelled reads a set; its form stands on top of testdata/written.txt.
func readLabelled(t *testing.T, path string) (all []labelled) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text *string
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if head, ok := strings.CutPrefix(line, "-- "); ok {
			types, name, _ := strings.Cut(head, ": ")
			l := labelled{name: name}
			for one := range strings.SplitSeq(types, ", ") {
				if one != "none" { // "none, decision": no other than that
					l.want = append(l.want, engram.Type(one))
				}
			}
			all, text = append(all, l), nil
			continue
		}
		if more, ok := strings.CutPrefix(line, "  "); (ok || line == "") && text != nil {
			*text += "\n" + more
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(all) == 0 {
			t.Fatalf("%s:%d: %q belongs to no case", path, n, line)
		}
		text = all[len(all)-1].add(t, line)
	}
	return all
}

// add adds a line and returns where the lines that go on with it belong.
func (l *labelled) add(t *testing.T, line string) *string {
	t.Helper()
	turn := capture.Turn{At: time.Unix(int64(1000+len(l.turns)), 0).UTC()}
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "person:":
		turn.Role, turn.Text = capture.RolePerson, rest
	case "agent:":
		turn.Role, turn.Text = capture.RoleAgent, rest
	case "summary:":
		turn.Role, turn.Text = capture.RoleSummary, rest
	case "run!":
		turn.Role, turn.Command, turn.Failed = capture.RoleTool, rest, true
	case "run":
		turn.Role, turn.Command = capture.RoleTool, rest
	case "edit":
		turn.Role, turn.Edited = capture.RoleTool, rest
	case "cause:":
		l.causes = strings.Split(rest, ", ")
		return nil
	case "author:":
		l.author = rest
		return nil
	case "commit:":
		l.commit = &capture.Commit{Subject: rest, At: turn.At}
		return &l.commit.Body
	default:
		t.Fatalf("%q is no line of a case", line)
	}
	l.turns = append(l.turns, turn)
	return &l.turns[len(l.turns)-1].Text
}

// measure compares what is proposed with what should be.
func measure(t *testing.T, path string) (precision, recall float64) {
	t.Helper()
	var right, proposed, wanted int
	for _, l := range readLabelled(t, path) {
		missing := slices.Clone(l.want)
		causes := slices.Clone(l.causes)
		got := l.proposals()
		for _, p := range got {
			says := ""
			if p.Type == engram.TypeBugfix && len(causes) > 0 {
				says, causes = causes[0], causes[1:]
			}
			if i := slices.Index(missing, p.Type); i >= 0 && strings.Contains(strings.SplitN(p.Content, "\n", 2)[0], says) {
				missing = slices.Delete(missing, i, i+1)
				right++
			} else {
				t.Logf("%s: %s: proposed wrongly: %s %q", path, l.name, p.Type, p.Content)
			}
		}
		if len(missing) > 0 {
			t.Logf("%s: %s: not proposed: %v", path, l.name, missing)
		}
		proposed, wanted = proposed+len(got), wanted+len(l.want)
	}
	return float64(right) / float64(max(proposed, 1)), float64(right) / float64(max(wanted, 1))
}

// What is proposed is read by a person, one by one: what is wrong costs more than what is
// missed.
func TestProposalsOfLabelledSets(t *testing.T) {
	for _, tt := range []struct {
		path              string
		precision, recall float64 // at least
	}{
		{"testdata/written.txt", 0.98, 0.98},
		{"testdata/held.txt", 0.93, 0.88},
		{"testdata/causes.txt", 0.9, 0.9},
		{"testdata/subjects.txt", 0.93, 0.9},
	} {
		precision, recall := measure(t, tt.path)
		t.Logf("%s: precision %.3f, recall %.3f", tt.path, precision, recall)
		if precision < tt.precision || recall < tt.recall {
			t.Errorf("%s: precision %.3f and recall %.3f, want at least %.2f and %.2f", tt.path, precision, recall, tt.precision, tt.recall)
		}
	}
}
