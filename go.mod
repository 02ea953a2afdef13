module github.com/heddle-gpu/heddle

go 1.26
