package contradiction

import "strings"

// Series reports whether two texts are equal but for numbers, dates and versions, or but for one
// name that replaces another everywhere: benchmark run 7 took 13 ms, benchmark run 8 took 12 ms. If
// a number differs, such as that of the record, several names may. Two such texts may contradict
// each other; three and more are a series.
func (r Reading) Series(other Reading) bool {
	if len(r.clauses) != len(other.clauses) {
		return false
	}
	var name, instead string
	differ, several, counted := false, false, false
	for i := range r.clauses {
		a, b := r.clauses[i].words, other.clauses[i].words
		if len(a) != len(b) {
			return false
		}
		for j := range a {
			if a[j].folded == b[j].folded && (a[j].written == b[j].written || !counts(a[j].written)) {
				continue
			}
			differ = true
			switch {
			case counts(a[j].written) && counts(b[j].written):
				counted = true
			case !a[j].member() || !b[j].member():
				return false
			case name == "":
				name, instead = a[j].folded, b[j].folded
			default:
				several = several || name != a[j].folded || instead != b[j].folded
			}
		}
	}
	return differ && (counted || !several)
}

// member reports whether a word can be a name in a series, including a letter, as in warehouse A.
func (w *word) member() bool {
	letter := len(w.written) == 1 && w.written[0] >= 'A' && w.written[0] <= 'Z'
	return (w.content() || letter) && w.axis == noAxis && !w.negated && w.num == nil
}

// counts reports whether a word has a digit.
func counts(w string) bool { return strings.ContainsAny(w, "0123456789") }
