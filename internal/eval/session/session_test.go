package session_test

import (
	"os"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/eval/session"
)

func script(t *testing.T, name string) session.Script {
	t.Helper()
	read := func(ending string) string {
		b, err := os.ReadFile("testdata/" + name + ending)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s, err := session.Parse(name, read(".memories"), read(".turns"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t *testing.T, name string) session.Figures {
	t.Helper()
	s, p := script(t, name), enginetest.NewParts(t)
	byNum, err := session.Fill(t.Context(), p.Engine, s, func(int) { p.Clock.Add(11 * time.Hour) })
	if err != nil {
		t.Fatal(err)
	}
	p.Clock.Add(24 * time.Hour)
	f, err := session.Play(t.Context(), p.Engine, s, byNum)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %d memories, %s", name, len(s.Memories), f)
	for _, l := range f.Log {
		t.Log(l)
	}
	return f
}

func TestSessions(t *testing.T) {
	for _, name := range []string{"harbor", "lumen", "orchard"} {
		play(t, name)
	}
}
