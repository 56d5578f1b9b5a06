// Package finding holds what the detectors of suspicion share: findings with their classes, and ways to read
// a text (text.go, chars.go). It knows neither words nor rules.
package finding

// Finding is a reason to flag a text because of text[From:To].
type Finding struct {
	Code     string // a class, one of the constants below
	Why      string // for a person, in lower case, without a full stop
	From, To int
}

// Findings are the findings of a text, in the order in which they were made.
type Findings []Finding

// Add records a finding, once per why at its first place.
func (f *Findings) Add(code string, why string, from, to int) {
	for i, known := range *f {
		if known.Why == why {
			if from < known.From {
				(*f)[i] = Finding{code, why, from, to}
			}
			return
		}
	}
	*f = append(*f, Finding{code, why, from, to})
}

// The classes of reasons.
const (
	Override = "override" // overrides instructions or assigns a role
	Role     = "role"     // imitates the system or a turn
	Secrecy  = "secrecy"  // hides something from the user
	Bypass   = "bypass"   // skips a confirmation or control
	Order    = "order"    // a standing or remote instruction
	Planted  = "planted"  // distorts answers to the user
	Exfil    = "exfil"    // sends secrets or data out
	Command  = "command"  // runs remote code or opens the machine
	Blob     = "blob"     // encoded text that is run or flagged
	Hidden   = "hidden"   // characters that hide or reorder text
)
