package postgrestest_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

func TestStart(t *testing.T) {
	s := postgrestest.Start(t)
	if got := s.SQL(t, s.URL(), "CREATE TEMP TABLE x (n int); INSERT INTO x VALUES (1); SELECT n, 'a' FROM x"); got != "1|a\n" {
		t.Errorf("read %q", got)
	}
	fresh := s.Fresh(t)
	s.SQL(t, fresh, "CREATE TABLE y (n int)")
	if other := s.Fresh(t); other == fresh {
		t.Errorf("two fresh databases are both %s", fresh)
	}
	if a, b := postgrestest.Space(), postgrestest.Space(); a == b || len(a) != 36 {
		t.Errorf("spaces %q and %q", a, b)
	}
}
