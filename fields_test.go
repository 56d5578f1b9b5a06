package engram_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// The journals and the causal metadata of released versions have these names.
func TestFieldsKeepTheirNames(t *testing.T) {
	for noun, tt := range map[string]struct{ got, want string }{
		"memory": {declared[engram.Memory](), "id sync_id project:project* scope:scope* type:type* title content summary:summary* tags* metadata:metadata* anchors:anchors* " +
			"topic_key:topic_key* session_id:session_id* tool_name:tool_name* origin* importance:importance* strength* touched_at* permanent:permanent* access_count* " +
			"last_accessed_at* created_at updated_at* review_after:review_after* valid_from:valid_from* valid_to:valid_to* revision_count* duplicate_count* last_seen_at* deleted_at:deleted*"},
		"session": {declared[engram.Session](), "id project:project* directory:directory* started_at:started_at* ended_at:ended_at* active_at summary:summary*"},
		"prompt":  {declared[engram.Prompt](), "sync_id project:project* session_id:session_id* content:text created_at deleted_at:deleted*"},
		"relation": {declared[engram.Relation](), "id source target verb:verdict* status:verdict* strength:verdict* reason:verdict* evidence:verdict* confidence:verdict* " +
			"actor:verdict* actor_kind:verdict* model:verdict* session_id:verdict* created_at updated_at* removed_at*"},
		"project": {declared[engram.Project](), "name aliases* root* remote:remote* decay:decay* created_at*"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", noun, tt.got, tt.want)
		}
	}
}

// declared lists the fields of a noun with their parts; a star is on those in the journal.
func declared[T any]() string {
	var all []string
	for _, f := range engram.Fields[T]() {
		text := f.Name
		if f.Part != "" {
			text += ":" + string(f.Part)
		}
		if f.Journal {
			text += "*"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestAFieldReadsAndCopiesItsOwnValue(t *testing.T) {
	from := engram.Memory{ID: "mem_1", Num: 7, Title: "A title", Tags: []string{"a"}, Importance: 0.25, Permanent: true, NormalizedHash: "00"}
	var into engram.Memory
	for _, f := range engram.Fields[engram.Memory]() {
		f.Copy(&into, &from)
		if got := reflect.ValueOf(f.Of(&into)).Elem().Interface(); !reflect.DeepEqual(got, f.Value(&from)) {
			t.Errorf("%s: got %v, want %v", f.Name, got, f.Value(&from))
		}
	}
	if into.Num, into.NormalizedHash = from.Num, from.NormalizedHash; !reflect.DeepEqual(into, from) {
		t.Errorf("got %+v, want %+v", into, from)
	}
}
