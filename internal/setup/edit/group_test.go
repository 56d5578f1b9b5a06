package edit_test

import (
	"bytes"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

func TestElementsOfGroups(t *testing.T) {
	group := map[string]any{"hooks": []any{map[string]any{"command": "engram hook codex Stop"}}}
	for _, c := range []struct{ name, src, with, without string }{
		{
			"a list that is missing", `{"a": 1}`,
			`{"a": 1, "hooks": {"Stop":[{"hooks":[{"command":"engram hook codex Stop"}]}]}}`, `{"a": 1, "hooks": {"Stop":[]}}`,
		},
		{
			"an empty object of events", `{"hooks": {}}`,
			"", `{"hooks": {"Stop": []}}`,
		},
		{
			"another one in the group of ours stays", `{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command":"engram hook old"}, {"command": "mine.sh"}]}]}}`,
			`{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command":"engram hook codex Stop"}, {"command": "mine.sh"}]}]}}`,
			`{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "mine.sh"}]}]}}`,
		},
		{
			"another one before ours stays", `{"hooks": {"Stop": [{"hooks": [{"command": "mine.sh"}, {"command":"engram hook old"}]}, 7]}}`,
			`{"hooks": {"Stop": [{"hooks": [{"command": "mine.sh"}, {"command":"engram hook codex Stop"}]}, 7]}}`,
			`{"hooks": {"Stop": [{"hooks": [{"command": "mine.sh"}]}, 7]}}`,
		},
		{
			"a group without any stays", `{"hooks": {"Stop": [{"hooks": []}, {"hooks": "none"}, {}]}}`,
			`{"hooks": {"Stop": [{"hooks": []}, {"hooks": "none"}, {}, {"hooks":[{"command":"engram hook codex Stop"}]}]}}`,
			`{"hooks": {"Stop": [{"hooks": []}, {"hooks": "none"}, {}]}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := []string{"hooks", "Stop"}
			got, err := edit.Elements{Path: path, Inner: "hooks", Ours: isOurs}.Add([]byte(c.src), group, nil)
			if err != nil || c.with != "" && string(got) != c.with {
				t.Fatalf("Add(%s) =\n%s\n%v; want\n%s", c.src, got, err, c.with)
			}
			if again, err := (edit.Elements{Path: path, Inner: "hooks", Ours: isOurs}).Add(got, group, nil); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second time it is\n%s\n%v; want no change", again, err)
			}
			bare, err := edit.Elements{Path: path, Inner: "hooks", Ours: isOurs}.Drop(got)
			if err != nil || squeezed(bare) != squeezed([]byte(c.without)) {
				t.Errorf("Drop(%s) =\n%s\n%v; want\n%s", got, bare, err, c.without)
			}
		})
	}
}

// squeezed is JSON without white space.
func squeezed(src []byte) string { return string(bytes.Join(bytes.Fields(src), nil)) }

// An empty object that was there is no sign of a name that stands twice.
func TestAListInAnEmptyObject(t *testing.T) {
	got, err := edit.Elements{Path: []string{"hooks", "Stop"}, Ours: isOurs}.Add([]byte(`{"hooks": {}}`), "engram hook", nil)
	if want := `{"hooks":{"Stop":["engramhook"]}}`; err != nil || squeezed(got) != want {
		t.Errorf("Add gives %s, %v; want %s", got, err, want)
	}
}

func TestAnElementOfOursKeepsWhatOthersSaidOfIt(t *testing.T) {
	group := map[string]any{"matcher": "Read", "hooks": []any{map[string]any{"command": "engram hook codex Stop", "timeout": 10}}}
	const src = `{"Stop": [{"matcher": "Bash", "hooks": [{"command": "engram hook old", "timeout": 60, "async": true}]}]}`
	const want = `{"Stop": [{"matcher": "Bash", "hooks": [{"command": "engram hook codex Stop", "timeout": 60, "async": true}]}]}`
	if got, err := (edit.Elements{Path: []string{"Stop"}, Inner: "hooks", Ours: isOurs}).Add([]byte(src), group, []string{"timeout"}); err != nil || string(got) != want {
		t.Errorf("Add gives %s, %v; want %s", got, err, want)
	}
	if got, err := (edit.Elements{Path: []string{"Stop"}, Inner: "hook", Ours: isOurs}).Add([]byte(src), group, nil); engram.CodeOf(err) != engram.CodeInternal {
		t.Errorf("a group without an element gives %s, %v; want CodeInternal", got, err)
	}
}

// Else it would be added again and again.
func TestAnElementThatIsNotKnownForOursIsNotAdded(t *testing.T) {
	nobodys := func([]byte) bool { return false }
	if got, err := (edit.Elements{Path: []string{"a"}, Ours: nobodys}).Add([]byte(`{"a": []}`), 1, nil); got != nil || engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("Add gives %s, %v; want a refusal", got, err)
	}
}
