// Package jsonfile reads JSON into structs whose tags describe the keys, and writes it again. An error has the path of
// keys to the value, its line and column.
//
// The type of a field says what the value is:
//
//	string, bool, float64   as in JSON
//	int                     a whole number
//	uint32, uint64          a word: a string of hexadecimal digits with or without 0x, or a whole number
//	[]byte                  a string of pairs of hexadecimal digits
//	[N]T                    a list of exactly N
//	[]T                     a list
//	struct, *struct         an object
//	map[string]T            an object with any keys
//
// A type with UnmarshalJSON reads itself, by the functions of this package. Fields have these tags, and lists and maps
// pass them on to their elements:
//
//	json:"name"       the key
//	need:"true"       the key must be there
//	need:"some"       also, the string or list must not be empty
//	default:"1"       the value if the key is missing
//	range:"1..64"     bounds of a number; for unsigned numbers it also means a whole number. A bound may be a constant
//	                  of package limit
//	one:"u32|f32"     the valid strings
//	only:"none"       the only valid value, with else:"culling is not built" as the error for others
//	unit:"4"          an int that is a word: it must be a multiple, and is stored divided by the unit
//	is:"file"         a file name that stays in the folder of the document
//	is:"any"          a bool: only "any" is valid, and sets it
//	is:"flag"         a bool: 0 or 1
//	is:"word"         an int: a word
//	is:"word16"       a word of 16 bits
//	is:"words"        a list of 32-bit words: a string of hexadecimal words separated by spaces
//	is:"code"         bytes that are not empty, or "-", which is nil
//	name:"v 255"      an int: a string v0 to v255. Of a map with int keys: its keys
//	most:"64"         the length of a list, of bytes, or of a map. Lists of objects have at most 4096
//	len:"64"          the exact length of a list
//	of:"x, y"         for errors: what the value is, or the elements of a list
//	by:"Name"         a list: in JSON an object, whose keys are field Name of the elements
//	null:"true"       null is valid, and leaves the field or the element of a list alone
//	unknown:"keep"    a map of raw values that takes the keys that no field has; without it they are errors
//	ignore:"a b"      keys that are valid and not read; "*": all that no field has
//	sets:"a b"        only documents of the instruction sets a and b may have the key: see Foreign
//
// A key that is nearly one of those known is an error, so that a misspelt key is not ignored, unless ignore is "*".
package jsonfile
