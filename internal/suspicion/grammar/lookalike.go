package grammar

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// knownPackages are popular packages with names of six letters or more. A similar name is a
// typing error or an attack on one.
func knownPackages() []string {
	return []string{"requests", "urllib3", "django", "tensorflow", "matplotlib", "cryptography", "colorama", "selenium", "beautifulsoup4", "setuptools", "sqlalchemy", "pydantic", "fastapi", "python-dateutil", "scikit-learn",
		"lodash", "react-dom", "react-router", "typescript", "webpack", "express", "commander", "mongoose", "electron", "jsonwebtoken", "nodemailer", "prettier", "socket.io", "cross-env", "puppeteer", "playwright", "tailwindcss"}
}

// lookalikes finds the installation of a package whose name resembles a popular one.
func lookalikes(c scene) (from, to int, ok bool) {
	if c.has&toUse == 0 {
		return 0, 0, false
	}
	closedUp := strings.NewReplacer("-", "", "_", "", ".", "")
	i := c.at(0, toUse)
	for j := i + 1; j < min(i+7, len(c.tokens)); j++ {
		w := c.word(j)
		if len(w) < 6 || c.tokens[j].means != 0 {
			continue
		}
		end := c.tokens[j].to
		for end < len(c.text) && (c.text[end] == '-' || finding.Letter(c.text[end])) {
			end++
		}
		name := finding.Lowered(c.text[c.tokens[j].from:end])
		for _, known := range knownPackages() {
			if name != known && oneOff(closedUp.Replace(name), closedUp.Replace(known)) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// oneOff reports names that differ by one letter: another, an additional, a missing or two
// swapped ones.
func oneOff(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		// An additional letter at the end makes another name ("express2") unless it is a
		// repetition.
		return a[i:] == b[i+1:] && (i < len(a) || len(a) > 0 && b[i] == b[i-1])
	}
	if i == len(a) {
		return false
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
