package options

// suggestion gives the option that was perhaps meant, as an addition to a message.
func suggestion(flag string) string {
	best, least := "", distanceMax+1
	for _, one := range table {
		distance := editDistance(flag, one.flag)
		length := max(len(flag), len(one.flag))
		isSimilar := float64(length-distance)/float64(length) > similarMin
		if isSimilar && distance < least {
			best, least = one.flag, distance
		}
	}
	if best == "" {
		return ""
	}
	return "\n(Did you mean " + best + "?)"
}

const (
	distanceMax = 3
	similarMin  = 0.4
)

// editDistance counts the letters that must be added, removed or changed to make one text of another (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			above := row[j+1]
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
