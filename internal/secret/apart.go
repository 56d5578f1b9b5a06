package secret

// Text between a name and a separate value. Nothing indicates there that a value follows, so the
// value must look random.
const (
	// "password for staging": its owner.
	whose = `(?:[ \t](?:for|of|on|at|to|in|von|vom|für|auf|de|del|du|da|para|per)[ \t][^\n.:;=|()]{1,40})?`
	// "password - x", "password (x)", "password [x]".
	behind = `(?:[ \t]{1,3}[-–—][ \t]{1,3}|[ \t][(\[])[\x60"'*]{0,3}`
	// "password:" and x on its own line, with or without fences.
	below = `["'\x60*]{0,3}[ \t]{0,3}[:=]?[*]{0,3}[ \t]{0,3}\r?\n(?:[ \t]{0,8}\r?\n)?[ \t>]{0,12}(?:\x60{3}[\w-]{0,12}\r?\n[ \t]{0,8})?["'\x60*]{0,3}`
	// A link "[x](…)" does not count.
	endsBehind = `[\x60"'*]{0,3}(?:\](?:[^(\[]|$)|[\s,;).]|$)`
	endsLine   = `["'\x60*]{0,3}[ \t]{0,3}(?:\r?\n|$)`

	// A value with an = in it is another name with its value.
	chosenApart = `([^\s"'\x60,;:=<>(){}\[\]\\|]{5,199}(?:[^\s"'\x60,;:=.<>(){}\[\]\\|*]|={1,2}))`
	madeApart   = `([A-Za-z0-9][\w\-/+~.=]{10,198}[\w\-/+~=])`
)

// apart returns rules for values that are separated from their names.
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

// apartFrom matches the text after a name, with the value; said is a value in a sentence. It is one
// expression, because each rule costs its keywords.
func apartFrom(value, said string) string {
	return `(?:\d{0,2}` + behind + value + endsBehind + `|\d{0,2}` + whose + below + value + endsLine + `|` + whose + isNow + said + `)`
}
