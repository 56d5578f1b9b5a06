package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type args struct {
	ID       tool.ID         `json:"id" required:"true"`
	Name     string          `json:"name" doc:"<who>" default:"ann"`
	Note     *string         `json:"note"`
	Limit    int             `json:"limit" default:"10" min:"1" max:"20" lax:"true"`
	Depth    int             `json:"depth" default:"2" min:"0" max:"5"`
	Share    *float64        `json:"share" min:"0" max:"1"`
	Mode     string          `json:"mode" enum:"any,all" default:"any"`
	Scope    string          `json:"scope" enum:"a,b" default:"a" lax:"true"`
	Loud     bool            `json:"loud" default:"true"`
	Tags     []string        `json:"tags"`
	Metadata map[string]any  `json:"metadata"`
	Data     json.RawMessage `json:"data"`
	Pair     []string        `json:"pair" min:"2" max:"2"`
	Items    []item          `json:"items" max:"3"`
}

type item struct {
	Text  string   `json:"text" required:"true"`
	Share *float64 `json:"share" max:"1"`
	Kind  string   `json:"kind" enum:"a,b" default:"b"`
	Names []string `json:"names"`
}

type answer struct {
	Zone string `json:"zone"`
	Args args   `json:"args"`
	Bare string `json:"-"`
}

func (a answer) PlainText() (string, bool) { return a.Bare, a.Bare != "" }

func echo(_ context.Context, _ tool.Caller, a args) (answer, error) {
	return answer{Zone: "z", Args: a}, nil
}

func decoded(t *testing.T, in string) (args, error) {
	t.Helper()
	r, err := tool.New(tool.Def{}, echo).Call(context.Background(), tool.Caller{}, json.RawMessage(in))
	if err != nil {
		return args{}, err
	}
	var got answer
	if err := json.Unmarshal(r.Structured, &got); err != nil {
		t.Fatalf("structured answer to %s: %v", in, err)
	}
	return got.Args, nil
}

func TestDefaultsFillWhatIsMissing(t *testing.T) {
	for _, in := range []string{`{"id":3}`, `{"id":3,"name":null,"limit":null,"unheard_of":[1]}`} {
		got, err := decoded(t, in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if got.ID != 3 || got.Name != "ann" || got.Limit != 10 || got.Depth != 2 || got.Mode != "any" || got.Scope != "a" || !got.Loud {
			t.Errorf("%s: got %+v, want the defaults", in, got)
		}
		if got.Note != nil || got.Share != nil || got.Tags != nil || got.Metadata != nil {
			t.Errorf("%s: got %+v, want nil for what has no default", in, got)
		}
	}
}

func TestValuesAreRead(t *testing.T) {
	got, err := decoded(t, `{"id":9007199254740992,"name":"é\u0000","note":"","limit":7.9,"depth":0,"share":0,"mode":"all",
		"scope":"b","loud":false,"tags":["x"],"metadata":{"k":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != 1<<53 || got.Name != "é\x00" || got.Note == nil || got.Limit != 7 || got.Depth != 0 || got.Share == nil ||
		got.Mode != "all" || got.Scope != "b" || got.Loud || len(got.Tags) != 1 || got.Metadata["k"] != 1.0 {
		t.Errorf("got %+v", got)
	}
}

func TestListsOfObjectsAreRead(t *testing.T) {
	got, err := decoded(t, `{"id":1,"pair":["x","y"],"items":[{"text":"one","unheard_of":1},{"text":"two","kind":"a","share":0.5,"names":["n"]}]}`)
	if err != nil || len(got.Pair) != 2 || len(got.Items) != 2 {
		t.Fatalf("got %+v, error %v", got, err)
	}
	if one := got.Items[0]; one.Text != "one" || one.Kind != "b" || one.Share != nil || one.Names != nil {
		t.Errorf("first item: got %+v, want its text and the defaults", one)
	}
	if two := got.Items[1]; two.Text != "two" || two.Kind != "a" || two.Share == nil || *two.Share != 0.5 || len(two.Names) != 1 {
		t.Errorf("second item: got %+v", two)
	}
}

// Models put numbers into quotes and write lists with commas: what they mean is plain.
func TestWhatIsMeantIsTaken(t *testing.T) {
	want, err := decoded(t, `{"id":12,"limit":7,"depth":3,"share":0.5,"loud":false,"tags":["a","b"],"items":[{"text":"x","share":1,"names":["n","m"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{
		`{"id":"12","limit":"7","depth":"3","share":"0.5","loud":"false","tags":"a,b","items":[{"text":"x","share":"1","names":"n, m"}]}`,
		`{"id":" #12 ","limit":" 7","depth":"3.0","share":"5e-1","loud":"False","tags":"[\"a\",\"b\"]","items":"[{\"text\":\"x\",\"share\":1,\"names\":[\"n\",\"m\"]}]"}`,
	} {
		if got, err := decoded(t, in); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v, error %v\nwant %+v", in, got, err, want)
		}
	}
	if got, err := decoded(t, `{"id":1,"tags":"  ","metadata":{"k":"1"}}`); err != nil || got.Tags == nil || len(got.Tags) != 0 || got.Metadata["k"] != "1" {
		t.Errorf("a list of nothing is none, and what is kept as it is stays as it is: got %+v, error %v", got, err)
	}
}

func TestLaxArgumentsAreNeverOutOfRange(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		scope string
	}{
		{`{"id":1,"limit":0}`, 10, "a"},
		{`{"id":1,"limit":-5}`, 10, "a"},
		{`{"id":1,"limit":21}`, 20, "a"},
		{`{"id":1,"limit":1e300}`, 20, "a"},
		{`{"id":1,"limit":"7"}`, 7, "a"},
		{`{"id":1,"limit":" 99 "}`, 20, "a"},
		{`{"id":1,"scope":"elsewhere"}`, 10, "a"},
		{`{"id":1,"scope":" B "}`, 10, "b"},
	} {
		got, err := decoded(t, tt.in)
		if err != nil || got.Limit != tt.limit || got.Scope != tt.scope {
			t.Errorf("%s: got limit %d, scope %q, error %v, want %d, %q", tt.in, got.Limit, got.Scope, err, tt.limit, tt.scope)
		}
	}
}

func TestBadArgumentsAreNamed(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no arguments", ``, "id is required"},
		{"an array", `[1]`, "the arguments are not a JSON object"},
		{"a required argument is null", `{"id":null}`, "id is required"},
		{"a number with words", `{"id":"3 or 4"}`, "id must be a number, not a string"},
		{"half an id in quotes", `{"id":"1.5"}`, "id must be a whole number, not 1.5"},
		{"no id in quotes", `{"id":"#"}`, "id must be a number, not a string"},
		{"an id past all in quotes", `{"id":"1e999"}`, "id must be a number, not a string"},
		{"words for a count", `{"id":1,"limit":"many"}`, "limit must be a number, not a string"},
		{"nothing for a count", `{"id":1,"limit":""}`, "limit must be a number, not a string"},
		{"null in quotes for a count", `{"id":1,"limit":"null"}`, "limit must be a number, not a string"},
		{"an object for a number", `{"id":{}}`, "id must be a number, not an object"},
		{"half an id", `{"id":1.5}`, "id must be a whole number, not 1.5"},
		{"no such id", `{"id":0}`, "id 0 is out of range"},
		{"an id past counting", `{"id":1e17}`, "id is out of range"},
		{"a number past all", `{"id":1e999}`, "id is out of range"},
		{"a number for a string", `{"id":1,"name":5}`, "name must be a string, not a number"},
		{"an array for an optional string", `{"id":1,"note":[]}`, "note must be a string, not an array"},
		{"a boolean in quotes", `{"id":1,"loud":"yes"}`, "loud must be true or false, not a string"},
		{"too deep", `{"id":1,"depth":6}`, "depth 6 is out of range"},
		{"negative", `{"id":1,"depth":-1}`, "depth -1 is out of range"},
		{"more than all", `{"id":1,"share":1.1}`, "share 1.1 is out of range"},
		{"an unknown word", `{"id":1,"mode":"some"}`, `mode "some" is not known`},
		{"a number for a list", `{"id":1,"tags":5}`, "tags must be an array of strings, not a number"},
		{"too few with commas", `{"id":1,"pair":"x"}`, "pair has 1 items"},
		{"a list of numbers", `{"id":1,"tags":[1]}`, "tags[0] must be a string, not a number"},
		{"a list with nothing in it", `{"id":1,"tags":["x",null]}`, "tags[1] is null"},
		{"too few", `{"id":1,"pair":["x"]}`, "pair has 1 items"},
		{"too many", `{"id":1,"items":[{},{},{},{}]}`, "items has 4 items"},
		{"a string for a list of objects", `{"id":1,"items":"x"}`, "items must be an array of objects, not a string"},
		{"a string for an object of a list", `{"id":1,"items":[{"text":"x"},"y"]}`, "items[1] must be an object, not a string"},
		{"an object that lacks what is required", `{"id":1,"items":[{"text":"x"},{"share":0}]}`, "items[1].text is required"},
		{"a wrong type deep down", `{"id":1,"items":[{"text":"x","names":["a",{}]}]}`, "items[0].names[1] must be a string, not an object"},
		{"out of range deep down", `{"id":1,"items":[{"text":"x","share":2}]}`, "items[0].share 2 is out of range"},
		{"an unknown word deep down", `{"id":1,"items":[{"text":"x","kind":"c"}]}`, `items[0].kind "c" is not known`},
		{"a list for an object", `{"id":1,"metadata":[]}`, "metadata must be an object, not an array"},
		{"a string for an object that is read later", `{"id":1,"data":"{}"}`, "data must be an object, not a string"},
		{"broken UTF-8", "{\"id\":1,\"name\":\"\xff\"}", "the arguments are not valid UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decoded(t, tt.in)
			e, ok := errors.AsType[*engram.Error](err)
			if !ok || e.Code != engram.CodeInvalid || e.Msg != tt.want {
				t.Errorf("%s: got %v, want invalid: %s", tt.in, err, tt.want)
			}
		})
	}
}

func TestSchemasSayWhatIsChecked(t *testing.T) {
	got := tool.New(tool.Def{}, echo)
	want := `{"type":"object","properties":{"id":{"type":"integer","minimum":1},` +
		`"name":{"type":"string","description":"<who>","default":"ann"},"note":{"type":"string"},` +
		`"limit":{"type":"integer","default":10,"minimum":1,"maximum":20},"depth":{"type":"integer","default":2,"minimum":0,"maximum":5},` +
		`"share":{"type":"number","minimum":0,"maximum":1},"mode":{"type":"string","enum":["any","all"],"default":"any"},` +
		`"scope":{"type":"string","enum":["a","b"],"default":"a"},"loud":{"type":"boolean","default":true},` +
		`"tags":{"type":"array","items":{"type":"string"}},"metadata":{"type":"object"},"data":{"type":"object"},` +
		`"pair":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2},` +
		`"items":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"share":{"type":"number","maximum":1},` +
		`"kind":{"type":"string","enum":["a","b"],"default":"b"},"names":{"type":"array","items":{"type":"string"}}},"required":["text"]},"maxItems":3}},` +
		`"required":["id"]}`
	if string(got.Input()) != want {
		t.Errorf("input schema\n got %s\nwant %s", got.Input(), want)
	}
	if !strings.HasPrefix(string(got.Output()), `{"type":"object","properties":{"zone":{"type":"string"},"args":{"type":"object",`) {
		t.Errorf("output schema: got %s", got.Output())
	}
}

func TestAnswersHaveSortedKeys(t *testing.T) {
	r, err := tool.ReplyOf(struct {
		Zone string `json:"zone"`
		Ant  string `json:"ant"`
	}{"<z>", "a"})
	if want := `{"ant":"a","zone":"\u003cz\u003e"}`; err != nil || r.Text != want || string(r.Structured) != want {
		t.Errorf("got %+v, error %v, want %s twice", r, err, want)
	}
	r, err = tool.ReplyOf(answer{Bare: "plain"})
	if err != nil || r.Text != "plain" || !strings.HasPrefix(string(r.Structured), `{"args":`) {
		t.Errorf("an answer in words: got %+v, error %v", r, err)
	}
}
