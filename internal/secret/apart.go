package secret

// What stands between a name and its value that is apart from it. Nothing says there that a
// value follows, so that the value has to look made at random.
const (
	// "password for staging": whose it is.
	whose = `(?:[ \t](?:for|of|on|at|to|in|von|vom|für|auf|de|del|du|da|para|per)[ \t][^\n.:;=|()]{1,40})?`
	// "password - x", "password (x)", "password [x]".
	behind = `(?:[ \t]{1,3}[-–—][ \t]{1,3}|[ \t][(\[])[\x60"'*]{0,3}`
	// "password:" and x on a line of its own, between fences or not.
	below = `["'\x60*]{0,3}[ \t]{0,3}[:=]?[*]{0,3}[ \t]{0,3}\r?\n(?:[ \t]{0,8}\r?\n)?[ \t>]{0,12}(?:\x60{3}[\w-]{0,12}\r?\n[ \t]{0,8})?["'\x60*]{0,3}`
	// A link "[x](…)" is none.
	endsBehind = `[\x60"'*]{0,3}(?:\](?:[^(\[]|$)|[\s,;).]|$)`
	endsLine   = `["'\x60*]{0,3}[ \t]{0,3}(?:\r?\n|$)`

	// With an = in it, it is another name and its value.
	chosenApart = `([^\s"'\x60,;:=<>(){}\[\]\\|]{5,199}(?:[^\s"'\x60,;:=.<>(){}\[\]\\|*]|={1,2}))`
	madeApart   = `([A-Za-z0-9][\w\-/+~.=]{10,198}[\w\-/+~=])`
)

// apart are rules for values that do not follow their names at once.
func apart() []rule {
	return []rule{
		{
			id: "password", regex: `(?i)` + passwordNames + apartFrom(chosenApart, chosenValue), mixed: 4, opens: true,
			keywords: passwordKeywords(), allowed: noPassword(),
		},
		{
			id: "generic-api-key", regex: `(?i)` + keyNames + apartFrom(madeApart, madeValue), mixed: 4, entropy: 2.8, opens: true,
			keywords: keyKeywords(), allowed: noKey(),
		},
	}
}

// apartFrom is what follows a name, with the value; said is one in a sentence. It is one
// expression, for each rule costs the words by which it is found.
func apartFrom(value, said string) string {
	return `(?:\d{0,2}` + behind + value + endsBehind + `|\d{0,2}` + whose + below + value + endsLine + `|` + whose + isNow + said + `)`
}
