package attend_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestAsksOne(t *testing.T) {
	for _, tt := range []struct {
		name, prompt string
		words        []string // nil: it is not one question
		ours, known  bool
	}{
		{"about what is done here", "how do we deploy?", []string{"deploi"}, true, true},
		{"without its mark", "what is our retry policy", []string{"polici"}, true, true},
		{"about what both know", "where are the logs?", []string{"log"}, false, true},
		{"about what anybody knows", "what is kubernetes?", []string{"kubernet"}, false, false},
		{"after a greeting", "hey, which port does the api use?", []string{"api", "port"}, false, true},
		{"asked politely", "can you tell me how we deploy?", []string{"deploi"}, true, true},
		{"whether it is known", "do you remember why we left Redis?", []string{"left", "redi"}, true, true},
		{"in another script", "调度器为什么要加锁？", []string{"加锁", "度器", "要加", "调度"}, false, false},
		{"in Spanish", "¿cómo desplegamos nuestra api?", []string{"api", "desplegamo"}, true, true},
		{"an order", "deploy it", nil, false, false},
		{"an order in the shape of a question", "can you deploy the api?", nil, false, false},
		{"what the agent does", "why did you deploy the api?", nil, false, false},
		{"more than the question", "The deploy failed. How do we deploy?", nil, false, false},
		{"two questions", "how do we deploy? and when?", nil, false, false},
		{"two lines", "how do we deploy\nthe api?", nil, false, false},
		{"a word and a mark", "scheduler?", nil, false, false},
		{"two of them are one", "scheduler lock?", []string{"lock", "schedul"}, false, false},
		{"no word of meaning", "what is it?", nil, false, false},
		{"only what moves on", "what should we do next?", nil, false, false},
		{"nothing", "", nil, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, is := attend.AsksOne(tt.prompt)
			if is != (tt.words != nil) {
				t.Fatalf("AsksOne(%q)\n got %+v, %v\nwant the words %v", tt.prompt, got, is, tt.words)
			}
			if !is {
				return
			}
			if words := slices.Sorted(maps.Keys(got.Words)); !reflect.DeepEqual(words, tt.words) || got.Ours != tt.ours || got.Known != tt.known {
				t.Errorf("AsksOne(%q)\n got %v, ours %v, known %v\nwant %v, ours %v, known %v", tt.prompt, words, got.Ours, got.Known, tt.words, tt.ours, tt.known)
			}
		})
	}
}
