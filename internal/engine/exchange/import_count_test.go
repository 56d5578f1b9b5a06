package exchange_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// oddFile has things of a wrong kind in every list, one memory four times, and invalid vectors.
const oddFile = `{"format":"engram","version":1,"project":"shop",
"projects":[5,{"name":"shop"}],
"sessions":[null,{"id":"s9","project":"shop"},{"id":"s9","project":"shop"}],
"memories":[1,"x",null,{},[],
 {"id":"mem_01m80fjn7a50pm95tw19tb75ga","content":"the first","project":"shop","session_id":"s9","created_at":"2026-01-02T03:04:05Z"},
 {"id":"mem_01m80fjn7a50pm95tw19tb75ga","content":"the second","project":"shop","session_id":"s9","created_at":"2026-01-02T03:04:06Z"},
 {"id":"mem_01m80fjn7a50pm95tw19tb75ga","content":"the third","project":"shop","session_id":"s9","created_at":"2026-01-02T03:04:05Z"},
 {"id":"mem_01m80fjn7a50pm95tw19tb75ga","content":"the second","project":"shop","session_id":"s9","created_at":"2026-01-02T03:04:06Z"},
 {"content":"half a number","vectors":[{"model":"m","values":"AAA="}]},
 {"content":"no base64","vectors":[{"model":"m","values":"?"}]},
 {"content":"a list","vectors":[{"model":"m","values":[1,2]}]},
 {"content":"no list","vectors":5},
 {"content":"not a number","vectors":[{"model":"m","values":"AADAfw=="}]},
 {"content":"too short","vectors":[{"model":"MODEL","values":"AAAAAA=="}]}],
"prompts":[null,5,{"project":"shop","content":"why?","session_id":"s9"}],
"relations":["a",null,{}],
"erased":[null,{},"x",{"kind":"relation","id":"a"},{"kind":"memory","id":"mem_01m80fjn7a50pm95tw19tb75gz"}]}`

func TestTheTalliesOfAFileAddUpToItsItems(t *testing.T) {
	t.Parallel()
	file := strings.ReplaceAll(oddFile, "MODEL", enginetest.Embedder().Model().Fingerprint)
	for _, in := range []exchange.ImportInput{{}, {DryRun: true}, {Project: "other"}} {
		e := enginetest.New(t)
		res := enginetest.Imported(t, e, file, in)
		for _, k := range []struct {
			kind string
			got  engram.ImportTally
			want int
		}{{"projects", res.Projects, 2}, {"sessions", res.Sessions, 3}, {"memories", res.Memories, 15}, {"prompts", res.Prompts, 3}, {"relations", res.Relations, 3}, {"erased", res.Erased, 5}} {
			if sum := k.got.Added + k.got.Changed + k.got.Unchanged + k.got.Rejected; sum != k.want {
				t.Errorf("%s with %+v: got %+v, which are %d, want %d", k.kind, in, k.got, sum, k.want)
			}
		}
		if res.Memories.Added != 7 || res.Memories.Rejected != 5 {
			t.Errorf("memories with %+v: got %+v, want 7 added and 5 rejected", in, res.Memories)
		}
		var told []string
		for _, n := range res.Notes {
			told = append(told, n.Item+" "+n.Reason)
		}
		all := strings.Join(told, "\n")
		for _, want := range []string{"memories[6] the file has it more than once", "memories[7] the file has it more than once", "memories[9] one of its vectors has values that are not numbers",
			"memories[10] one of its vectors", "memories[11] one of its vectors", "memories[12] one of its vectors", "memories[13] one of its vectors", "memories[14] its vector has 1 numbers"} {
			if !strings.Contains(all, want) {
				t.Errorf("notes with %+v: got\n%s\nwant one that begins with %q", in, all, want)
			}
		}
		if strings.Contains(all, "memories[8]") {
			t.Errorf("notes with %+v: got\n%s\nwant none of an item that says the same", in, all)
		}
	}
}
