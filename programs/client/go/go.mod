module muster/client

go 1.26
