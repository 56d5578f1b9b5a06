package secret

// shortestNamed is the minimum length of a secret recognised by name and form.
const shortestNamed = 8

// FindNamed is Find for a value with a name, as in metadata: the name may be the only sign that
// "hunter2hunter2" is a password. Without a name it is Find.
func (s *Scanner) FindNamed(name, value string) []Span {
	found := s.Find(value)
	switch {
	case name == "":
		return found
	case Named(name, value):
		return []Span{{From: 0, To: len(value), Rule: "password"}}
	case len(value) < shortestNamed:
		return found
	}
	head := name + `="`
	for _, f := range s.Find(head + value + `"`) {
		if f.From >= len(head) && f.To <= len(head)+len(value) {
			found = append(found, Span{From: f.From - len(head), To: f.To - len(head), Rule: f.Rule})
		}
	}
	return outermost(found)
}
