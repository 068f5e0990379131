module squall/canary

go 1.24
