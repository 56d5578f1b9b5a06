package mem

import "testing"

func TestTheSessionThatAsksIsTheLastOneBegun(t *testing.T) {
	t.Parallel()
	var a asking
	if s, again := a.context(); s != "" || again {
		t.Errorf("before any: %q, again %t", s, again)
	}
	a.began("s1")
	if s, again := a.context(); s != "s1" || again {
		t.Errorf("its first context: %q, again %t; want s1, false", s, again)
	}
	a.began("s1") // starting it again changes nothing
	if s, again := a.context(); s != "s1" || !again {
		t.Errorf("its second context: %q, again %t; want s1, true", s, again)
	}
	a.began("s2")
	if s, again := a.context(); s != "s2" || again {
		t.Errorf("of another session: %q, again %t; want s2, false", s, again)
	}
	a.ended("s1")
	if s := a.now(); s != "s2" {
		t.Errorf("after the end of another: %q, want s2", s)
	}
	a.ended("s2")
	if s, again := a.context(); s != "" || again {
		t.Errorf("after its end: %q, again %t; want none", s, again)
	}
}
