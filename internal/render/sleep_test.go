package render_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

func TestSlept(t *testing.T) {
	s := lifecycle.Slept{Memories: 9, Fading: 7, Applied: 3, Made: []int64{30}, Ops: []int64{41, 44}, Compacted: 1,
		Plan: []lifecycle.Step{
			{Action: lifecycle.StepBoost, Memories: []int64{6}, From: 0.6, To: 0.7, Reason: "4 accesses"},
			{Action: lifecycle.StepMerge, Memories: []int64{1, 2, 3}, Into: 1, From: 0.5, To: 0.5, Reason: "3 say nearly the same"},
			{Action: lifecycle.StepPrune, Memories: []int64{8}, From: 0.01, To: 0.01, Reason: "too weak"},
			{Action: lifecycle.StepExtract, Memories: []int64{4, 5, 7}, Reason: "3 are near to each other"},
		},
		Titles:  map[int64]string{1: "Auth \x1b[31mmodel", 8: "Lunch"},
		Skipped: []lifecycle.SkippedStep{{Step: lifecycle.Step{Action: lifecycle.StepPrune, Memories: []int64{8}}, Reason: "changed meanwhile"}}}
	same(t, render.Slept(s, false), strings.Join([]string{
		"boost   #6  0.60 → 0.70", "        4 accesses",
		"merge   #1 ← #2 #3 Auth \\x1b[31mmodel  0.50 → 0.50", "        3 say nearly the same",
		"prune   #8 Lunch  0.01", "        too weak",
		"extract #4 ← #5 #7", "        3 are near to each other",
		"Applied 3 of 4 steps to 9 memories.", "7 grow weaker with time: engram decay shows them.",
		"Not applied: prune #8: changed meanwhile", "Patterns saved: #30", "Removed from the journal because of age: 1 entry",
		"To undo: engram undo 41..44 --verb sleep"}, "\n"))
	same(t, render.Slept(lifecycle.Slept{Memories: 1}, true), "Nothing to do among 1 memory.")

	many := lifecycle.Slept{Memories: 60, Ops: []int64{7}}
	for num := range int64(53) {
		many.Plan = append(many.Plan, lifecycle.Step{Action: lifecycle.StepPrune, Memories: []int64{num + 1}, From: 0.01, To: 0.01, Reason: "too weak"})
	}
	got := render.Slept(many, false)
	if strings.Count(got, "\nprune") != 49 || !strings.Contains(got, "… and 3 more to prune\n") || !strings.HasSuffix(got, "To undo: engram undo 7") {
		t.Errorf("of 53 steps in one operation got\n%s\nwant 50, how many more there are, and the operation", got)
	}
}

func TestDiagnosed(t *testing.T) {
	a, b := memory(1, "One\x07", "x"), memory(2, "Two", "y")
	d := lifecycle.Diagnostics{Memories: 2, Weakest: []lifecycle.Weak{{Memory: a, Strength: 0.25}}, Pairs: 1, Never: 2,
		Duplicates: []lifecycle.DuplicatePair{{A: a, B: b, Cosine: 0.95, Against: "different topics"}}, Orphans: []engram.Memory{b}}
	same(t, render.Diagnosed(d), strings.Join([]string{"2 memories", "", "Weakest:", "  0.25  #1 [bugfix] One\\x07", "",
		"Near-duplicates (1 pair; engram sleep merges them):", "  0.950  #1 [bugfix] One\\x07", "         #2 [bugfix] Two",
		"         not merged: different topics", "", "Orphans (no relation, no topic, never accessed):", "  #2 [bugfix] Two"}, "\n"))
}
